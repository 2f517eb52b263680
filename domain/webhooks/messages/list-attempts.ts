import { createHash } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { maxBigint } from '../../bigint-range.ts';
import { epochMilliseconds } from '../../sql-times.ts';
import { maxRowsWithin } from '../../page-limit.ts';
import { nameOfNumber } from '../../name-of-number.ts';
import { attemptStatuses, triggers } from '../delivery/message.ts';
import type { AttemptFilter, PageRequest, WebhookAttempt } from '../provider.ts';
import { mapPage, readPage, type ListPage, type ScanRequest } from '../list-page.ts';
import { eventOf, maxScannedRows, readScan } from './index-scan.ts';

const AttemptRow = z.strictObject({
  at: z.string(),
  event_id: z.string(),
  no: z.number(),
  timestamp: z.number(),
  trigger: z.number(),
  status: z.number(),
  http_status: z.number().nullable(),
  ms: z.number(),
  error: z.string().nullable(),
  response: z.string(),
  public_id: z.string(),
  type: z.string(),
  edge: z.boolean(),
});
type AttemptRow = z.infer<typeof AttemptRow>;

/** Max bytes: 1 KiB of a response, in which JSON may escape each byte as six. */
const maxAttemptBytes = 8_192;

/** Newest first. A page filtered by status may be short: the list ends where `next` is undefined. */
export async function listAttempts(
  em: EntityManager,
  tenantId: string,
  endpoint: { readonly id: string; readonly publicId: string },
  { messageId, status }: AttemptFilter,
  { cursor, limit }: PageRequest,
): Promise<ListPage<WebhookAttempt>> {
  const event =
    messageId === undefined ? undefined : await eventOf(em, tenantId, messageId).executeTakeFirst();
  if (messageId !== undefined && event === undefined)
    return { items: [], next: undefined, previous: undefined };
  const count = maxRowsWithin(limit, maxAttemptBytes);
  const page = await readPage<AttemptRow>(
    cursor,
    count,
    (scan) =>
      readScan(em, AttemptRow, statement({ tenantId, endpoint: endpoint.id, event, status }, scan), keyOf),
    keyOf,
  );
  return mapPage(
    { ...page, cut: count < limit.rows && page.items.length === count },
    viewOf(endpoint.publicId),
  );
}

const keyOf = ({ at, event_id, no }: AttemptRow) => [at, event_id, String(no)];

interface Request {
  readonly tenantId: string;
  readonly endpoint: string;
  readonly event: { readonly id: string } | undefined;
  readonly status: AttemptFilter['status'];
}

/**
 * The attempts to read from; those of one event in the order of the primary key. No other index has this order, and a
 * plan by another would read all attempts of the endpoint.
 */
const attemptsOf = ({ tenantId, endpoint, event }: Request): RawBuilder<unknown> =>
  event === undefined
    ? sql`attempt`
    : sql`(select * from attempt
        where api_key_id = ${tenantId} and endpoint_id = ${endpoint} and event_id = ${event.id}
        order by no, at offset 0) attempt`;

function statement(request: Request, { backward, key, count }: ScanRequest): RawBuilder<unknown> {
  const { tenantId, endpoint, status: named } = request;
  const status = named === undefined ? null : attemptStatuses[named];
  const examined = status === null ? count + 1 : maxScannedRows;
  const [at = 'infinity', id = maxBigint, no = '32767'] = key ?? [];
  const order = sql.raw(backward ? 'asc' : 'desc');
  const beyond = sql.raw(backward ? '>' : '<=');
  return sql`
    with scanned as materialized (
      select a.*, row_number() over (order by a.at ${order}, a.event_id ${order}, a.no ${order}) as n from (
        select event_at, event_id, no, at, trigger, status, http_status, ms, error, response from ${attemptsOf(request)}
        where api_key_id = ${tenantId} and endpoint_id = ${endpoint}
          and (at, event_id, no) ${beyond} (${at}::timestamptz, ${id}::bigint, ${no}::smallint)
        order by at ${order}, event_id ${order}, no ${order} limit ${examined}) a),
    fitting as (
      select s.*, e.public_id, e.type from scanned s
        cross join lateral (select e.public_id, e.type from event e
          where e.at = s.event_at and e.id = s.event_id and e.api_key_id = ${tenantId} limit 1) e
      where s.n < ${examined} and (${status}::smallint is null or s.status = ${status}) order by s.n limit ${count}),
    shown as (
      select *, false as edge from fitting
      union all
      select s.*, '', '', true from scanned s
      where s.n = ${backward ? examined - 1 : examined} and (select count(*) from scanned) = ${examined})
    select at::text as at, event_id, no, ${epochMilliseconds('at')} as timestamp, trigger, status, http_status,
      ms, error, response, public_id, type, edge
    from shown order by edge, n`;
}

/** Returns the id of an attempt: a hash of endpoint, message and number. */
export const attemptId = (endpointId: string, messageId: string, no: number): string =>
  `atm_${createHash('sha256')
    .update(`${endpointId}/${messageId}/${String(no)}`)
    .digest()
    .toString('base64url', 0, 24)}`;

const viewOf =
  (endpointId: string) =>
  (found: AttemptRow): WebhookAttempt => ({
    id: attemptId(endpointId, found.public_id, found.no),
    messageId: found.public_id,
    endpointId,
    eventType: found.type,
    attemptNumber: found.no,
    status: nameOfNumber(attemptStatuses, found.status),
    responseStatusCode: found.http_status,
    response: found.response,
    error: found.error,
    durationMs: found.ms,
    timestamp: found.timestamp,
    trigger: nameOfNumber(triggers, found.trigger),
  });
