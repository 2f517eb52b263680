import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { withinBytes, type Sizing } from '../../../platform/database/within-bytes.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { maxBigint } from '../../bigint-range.ts';
import { merged } from '../../configuration/change.ts';
import { advancedWebhookKind } from '../../configuration/kinds/advanced-webhook.ts';
import { epochMilliseconds } from '../../sql-times.ts';
import { BoundedRow, withinLimit, type PageLimit } from '../../page-limit.ts';
import { tablesOf } from '../../tables.ts';
import { nameOfNumber } from '../../name-of-number.ts';
import { messageStatuses } from '../delivery/message.ts';
import { holdReason, plainBody, type PayloadOptions } from '../delivery/payload.ts';
import type { MessageFilter, PageRequest, WebhookMessage } from '../provider.ts';
import { mapPage, readPage, type ListPage, type Scan, type ScanRequest } from '../list-page.ts';
import { eventOf, maxScannedRows, readScan } from './index-scan.ts';

const MessageRow = z.strictObject({
  event_at: z.string(),
  event_id: z.string(),
  timestamp: z.number(),
  public_id: z.string(),
  type: z.string(),
  source: z.string(),
  status: z.number(),
  status_reason: z.string().nullable(),
  attempts: z.number(),
  next_at: z.number().nullable(),
  channels: z.array(z.string()).nullable(),
  sequence: z.string().nullable(),
  /** JSON text. */
  payload: z.string(),
  edge: z.boolean(),
  ...BoundedRow.shape,
});
type MessageRow = z.infer<typeof MessageRow>;

/** Newest first. A filtered page may be short: the list ends where `next` is undefined. */
export async function listMessages(
  em: EntityManager,
  tenantId: string,
  endpoint: { readonly id: string },
  filter: MessageFilter,
  { cursor, limit }: PageRequest,
): Promise<ListPage<WebhookMessage>> {
  const page = await readPage<MessageRow>(
    cursor,
    limit.rows,
    (scan) => scanMessages(em, tenantId, endpoint.id, filter, { ...scan, limit }),
    keyOf,
  );
  return mapPage(page, viewWith(await readOptions(em, tenantId)));
}

const keyOf = ({ event_at, event_id }: MessageRow) => [event_at, event_id];

async function scanMessages(
  em: EntityManager,
  tenantId: string,
  endpoint: string,
  filter: MessageFilter,
  request: MessageScan,
): Promise<Scan<MessageRow>> {
  const { backward } = request;
  const read = async (sizing: Sizing) =>
    readScan(em, MessageRow, statement(em, { tenantId, endpoint }, filter, request, sizing), keyOf);
  const estimated = await read('estimated');
  const scan = estimated.rows[0]?.fits === false ? await read('measured') : estimated;
  const { fitting, cut } = withinLimit(scan.rows);
  if (!cut) return scan;
  const stopped = backward ? fitting.at(-1) : scan.rows[fitting.length];
  return { rows: fitting, stoppedAt: stopped && keyOf(stopped), cut };
}

type MessageScan = ScanRequest & { readonly limit: PageLimit };

function statement(
  em: EntityManager,
  { tenantId, endpoint }: { readonly tenantId: string; readonly endpoint: string },
  { messageId, eventTypes, status: named, channel, since, until }: MessageFilter,
  { backward, key, count, limit }: MessageScan,
  sizing: Sizing,
): RawBuilder<unknown> {
  const status = named === undefined ? null : messageStatuses[named];
  const types = eventTypes ?? null;
  const filtered = types !== null || status !== null || channel !== undefined;
  const examined = filtered ? maxScannedRows : count + 1;
  const order = sql.raw(backward ? 'asc' : 'desc');
  const beyond = sql.raw(backward ? '>' : '<=');
  const message =
    messageId === undefined ? sql`` : sql`and (d.event_at, d.event_id) = ${eventOf(em, tenantId, messageId)}`;
  const moment = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`;
  const from = since === undefined ? sql`` : sql`and d.event_at >= ${moment(since)}`;
  const to = until === undefined ? sql`` : sql`and d.event_at < ${moment(until)}`;
  return sql`
    with scanned as materialized (
      select d.*, row_number() over (order by d.event_at ${order}, d.event_id ${order}) as n from (
        select d.event_at, d.event_id, d.sequence, d.status, d.status_reason, d.attempts, d.next_at from delivery d
        where d.api_key_id = ${tenantId} and d.endpoint_id = ${endpoint} ${message} ${from} ${to}
          and (d.event_at, d.event_id) ${beyond} (${key?.[0] ?? 'infinity'}::timestamptz, ${key?.[1] ?? maxBigint}::bigint)
        order by d.event_at ${order}, d.event_id ${order} limit ${examined}) d),
    fitting as (
      select s.*, e.public_id, e.type, e.channels, e.payload from scanned s
        cross join lateral (select e.public_id, e.type, e.channels, e.payload from event e
          where e.at = s.event_at and e.id = s.event_id and e.api_key_id = ${tenantId} limit 1) e
      where s.n < ${examined} and (${status}::smallint is null or s.status = ${status})
        and (${types}::text[] is null or e.type = any(${types}))
        and (${channel ?? null}::text is null or ${channel ?? null} = any(e.channels))
      order by s.n limit ${count}),
    ${withinBytes(sizing, {
      from: 'fitting',
      order: sql`s.n`,
      content: 'payload',
      type: 'json',
      beside: sql`octet_length(type) + coalesce(octet_length(array_to_string(channels, ',')), 0)`,
      limit,
    })},
    shown as (
      select event_at, event_id, sequence, status, status_reason, attempts, next_at, n, public_id, type, channels,
        case when fits then payload end as payload, fits, candidates, false as edge from within
      union all
      select s.*, '', '', null, null, true, 0, true from scanned s
      where s.n = ${backward ? examined - 1 : examined} and (select count(*) from scanned) = ${examined})
    select event_at::text as event_at, event_id, ${epochMilliseconds('event_at')} as timestamp, public_id, type, status, status_reason,
      attempts, ${epochMilliseconds('next_at')} as next_at, channels, sequence,
      coalesce(payload::text, 'null') as payload, coalesce(payload ->> 'featureType',
        case when starts_with(type, 'comment.') or starts_with(type, 'comment_annotation.') then 'comment' else 'system' end) as source, edge, fits, candidates
    from shown order by edge, n`;
}

async function readOptions(em: EntityManager, tenantId: string): Promise<PayloadOptions> {
  const found = await tablesOf(em)
    .selectFrom('key_config')
    .select('config')
    .where((row) => row.and({ api_key_id: tenantId, kind: advancedWebhookKind.name }))
    .executeTakeFirst();
  return merged(advancedWebhookKind.defaults, found?.config ?? {});
}

function viewWith(options: PayloadOptions): (found: MessageRow) => WebhookMessage {
  const held = holdReason(options);
  return (found) => {
    const status = nameOfNumber(messageStatuses, found.status);
    const channels = found.channels ?? [];
    const body = plainBody(
      {
        webhookId: found.public_id,
        type: found.type,
        source: found.source,
        sequence: found.sequence === null ? null : Number(found.sequence),
        channels,
        data: found.payload,
        at: found.timestamp,
      },
      options,
    );
    return {
      id: found.public_id,
      eventType: found.type,
      status,
      statusReason: status === 'pending' ? (held ?? found.status_reason) : found.status_reason,
      attempts: found.attempts,
      nextAttemptAt: status === 'pending' ? found.next_at : null,
      channels,
      payload: JSON.parse(body) as unknown,
      timestamp: found.timestamp,
    };
  };
}
