import { createHash } from 'node:crypto';
import { row } from '../../../platform/database/sql.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { epochMilliseconds } from '../../jobs/job-times.ts';
import { rowsWithin } from '../../page-limit.ts';
import { attemptStatuses, triggers } from '../delivery/message.ts';
import type { AttemptFilter, Part, WebhookAttempt } from '../provider.ts';
import { shown, stretchOf, type Stretch, type Walk } from '../stretch.ts';
import { nameOf } from './numbers.ts';
import { eventById, mostExamined, readWalk } from './walk.ts';

interface AttemptRow {
  readonly at: string;
  readonly event_id: string;
  readonly no: number;
  readonly timestamp: number;
  readonly trigger: number;
  readonly status: number;
  readonly http_status: number | null;
  readonly ms: number;
  readonly error: string | null;
  readonly response: string;
  readonly public_id: string;
  readonly type: string;
}

/** Bytes: 1 KiB of a response, of which each may be written as six. */
const largestAttempt = 8_192;

/** Newest first. With a status it may be short: only an absent iterator is the end. */
export async function listAttempts(
  em: EntityManager,
  tenantId: string,
  endpoint: { readonly id: string; readonly publicId: string },
  { messageId, status }: AttemptFilter,
  { start, limit }: Part,
): Promise<Stretch<WebhookAttempt>> {
  const event = messageId === undefined ? undefined : await eventOf(em, tenantId, messageId);
  if (event === null) return { items: [], next: undefined, previous: undefined };
  const count = rowsWithin(limit, largestAttempt);
  const stretch = await stretchOf<AttemptRow>(
    start,
    count,
    async ({ backward, key, count: read }): Promise<Walk<AttemptRow>> => {
      const values = [
        tenantId,
        endpoint.id,
        key?.[0] ?? 'infinity',
        key?.[1] ?? '9223372036854775807',
        key?.[2] ?? '32767',
        read,
        status === undefined ? read + 1 : mostExamined,
        status === undefined ? null : attemptStatuses[status],
        ...(event === undefined ? [] : [event]),
      ];
      return readWalk(em, { text: statement(backward, event !== undefined), values }, keyOf);
    },
    keyOf,
  );
  return shown(
    { ...stretch, cut: count < limit.rows && stretch.items.length === count },
    viewOf(endpoint.publicId),
  );
}

const keyOf = ({ at, event_id, no }: AttemptRow) => [at, event_id, String(no)];

/** Null when there is no such message. */
async function eventOf(em: EntityManager, tenantId: string, messageId: string): Promise<string | null> {
  const found = await row<{ id: string }>(
    em,
    `select e.id from ${eventById('$2')} e where e.api_key_id = $1`,
    [tenantId, messageId],
  );
  return found?.id ?? null;
}

function statement(backward: boolean, ofMessage: boolean): string {
  const order = backward ? 'asc' : 'desc';
  return `
    with walked as materialized (
      select a.*, row_number() over (order by a.at ${order}, a.event_id ${order}, a.no ${order}) as n from (
        select event_at, event_id, no, at, trigger, status, http_status, ms, error, response from attempt
        where api_key_id = $1 and endpoint_id = $2 ${ofMessage ? 'and event_id = $9' : ''}
          and (at, event_id, no) ${backward ? '>' : '<='} ($3::timestamptz, $4::bigint, $5::smallint)
        order by at ${order}, event_id ${order}, no ${order} limit $7) a),
    fitting as (
      select w.*, e.public_id, e.type from walked w
        cross join lateral (select e.public_id, e.type from event e
          where e.at = w.event_at and e.id = w.event_id and e.api_key_id = $1 limit 1) e
      where w.n < $7 and ($8::smallint is null or w.status = $8) order by w.n limit $6),
    shown as (
      select *, false as edge from fitting
      union all
      select w.*, null, null, true from walked w where w.n = ${backward ? '$7 - 1' : '$7'} and (select count(*) from walked) = $7)
    select at::text as at, event_id, no, ${epochMilliseconds('at')} as timestamp, trigger, status, http_status, ms, error, response,
      public_id, type, edge
    from shown order by edge, n`;
}

/** An attempt is known by what it is the attempt of; its id says so without telling it. */
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
    status: nameOf(attemptStatuses, found.status),
    responseStatusCode: found.http_status,
    response: found.response,
    error: found.error,
    durationMs: found.ms,
    timestamp: found.timestamp,
    trigger: nameOf(triggers, found.trigger),
  });
