import { sql, type RawBuilder } from 'kysely';
import { row } from '../../../platform/database/sql.ts';
import { withinBytes, type Sizing } from '../../../platform/database/within-bytes.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { merged } from '../../configuration/change.ts';
import {
  advancedWebhookKind,
  type AdvancedWebhookConfiguration,
} from '../../configuration/kinds/advanced-webhook.ts';
import { epochMilliseconds } from '../../jobs/job-times.ts';
import { withinLimit, type BoundedRow, type PageLimit } from '../../page-limit.ts';
import { heldWithoutKey, messageStatuses } from '../delivery/message.ts';
import { isHeld, plainBody, type PayloadOptions } from '../delivery/payload.ts';
import { tablesOf } from '../../tables.ts';
import type { MessageFilter, Part, WebhookMessage } from '../provider.ts';
import { shown, stretchOf, type Stretch, type Walk } from '../stretch.ts';
import { nameOf } from './numbers.ts';
import { mostExamined, readWalk } from './walk.ts';

interface MessageRow {
  readonly event_at: string;
  readonly event_id: string;
  readonly timestamp: number;
  readonly public_id: string;
  readonly type: string;
  readonly source: string;
  readonly status: number;
  readonly status_reason: string | null;
  readonly attempts: number;
  readonly next_at: number | null;
  readonly channels: string[] | null;
  readonly sequence: string | null;
  /** JSON text. */
  readonly payload: string;
}

/** Newest first. With filters a part may be short: only an absent iterator is the end. */
export async function listMessages(
  em: EntityManager,
  tenantId: string,
  endpoint: { readonly id: string },
  filter: MessageFilter,
  { start, limit }: Part,
): Promise<Stretch<WebhookMessage>> {
  const stretch = await stretchOf<MessageRow>(
    start,
    limit.rows,
    (walk) => walkOf(em, tenantId, endpoint.id, filter, { ...walk, limit }),
    keyOf,
  );
  return shown(stretch, viewWith(await readOptions(em, tenantId)));
}

const keyOf = ({ event_at, event_id }: MessageRow) => [event_at, event_id];

async function walkOf(
  em: EntityManager,
  tenantId: string,
  endpoint: string,
  filter: MessageFilter,
  way: Way,
): Promise<Walk<MessageRow>> {
  const { backward } = way;
  const read = async (sizing: Sizing) => {
    const compiled = statement(tenantId, endpoint, filter, way, sizing).compile(tablesOf(em));
    return readWalk<MessageRow & BoundedRow>(em, { text: compiled.sql, values: compiled.parameters }, keyOf);
  };
  const estimated = await read('estimated');
  const walk = estimated.rows[0]?.fits === false ? await read('measured') : estimated;
  const { fitting, cut } = withinLimit(walk.rows);
  if (!cut) return walk;
  const stopped = backward ? fitting.at(-1) : walk.rows[fitting.length];
  return { rows: fitting, stoppedAt: stopped && keyOf(stopped), cut };
}

interface Way {
  readonly backward: boolean;
  readonly key: readonly string[] | undefined;
  readonly count: number;
  readonly limit: PageLimit;
}

function statement(
  tenantId: string,
  endpoint: string,
  { messageId, eventTypes, status: named }: MessageFilter,
  { backward, key, count, limit }: Way,
  sizing: Sizing,
): RawBuilder<unknown> {
  const status = named === undefined ? null : messageStatuses[named];
  const types = eventTypes ?? null;
  const examined = types !== null || status !== null ? mostExamined : count + 1;
  const order = sql.raw(backward ? 'asc' : 'desc');
  const beyond = sql.raw(backward ? '>' : '<=');
  const message =
    messageId === undefined
      ? sql``
      : sql`and (d.event_at, d.event_id) = (
          select e.at, e.id from (select * from event where public_id = ${messageId} offset 0) e where e.api_key_id = ${tenantId})`;
  return sql`
    with walked as materialized (
      select d.*, row_number() over (order by d.event_at ${order}, d.event_id ${order}) as n from (
        select d.event_at, d.event_id, d.sequence, d.status, d.status_reason, d.attempts, d.next_at from delivery d
        where d.api_key_id = ${tenantId} and d.endpoint_id = ${endpoint} ${message}
          and (d.event_at, d.event_id) ${beyond} (${key?.[0] ?? 'infinity'}::timestamptz, ${key?.[1] ?? '9223372036854775807'}::bigint)
        order by d.event_at ${order}, d.event_id ${order} limit ${examined}) d),
    fitting as (
      select w.*, e.public_id, e.type, e.channels, e.payload from walked w
        cross join lateral (select e.public_id, e.type, e.channels, e.payload from event e
          where e.at = w.event_at and e.id = w.event_id and e.api_key_id = ${tenantId} limit 1) e
      where w.n < ${examined} and (${status}::smallint is null or w.status = ${status})
        and (${types}::text[] is null or e.type = any(${types}))
      order by w.n limit ${count}),
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
      select w.*, null, null, null, null, true, 0, true from walked w
      where w.n = ${backward ? examined - 1 : examined} and (select count(*) from walked) = ${examined})
    select event_at::text as event_at, event_id, ${sql.raw(epochMilliseconds('event_at'))} as timestamp, public_id, type, status, status_reason,
      attempts, ${sql.raw(epochMilliseconds('next_at'))} as next_at, channels, sequence,
      coalesce(payload::text, 'null') as payload, coalesce(payload ->> 'featureType', 'system') as source, edge, fits, candidates
    from shown order by edge, n`;
}

async function readOptions(em: EntityManager, tenantId: string): Promise<PayloadOptions> {
  const found = await row<{ config: Partial<AdvancedWebhookConfiguration> }>(
    em,
    `select config from key_config where api_key_id = $1 and kind = 'advancedwebhook'`,
    [tenantId],
  );
  return merged(advancedWebhookKind.defaults, found?.config ?? {});
}

const viewWith =
  (options: PayloadOptions) =>
  (found: MessageRow): WebhookMessage => {
    const status = nameOf(messageStatuses, found.status);
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
      statusReason: status === 'pending' && isHeld(options) ? heldWithoutKey : found.status_reason,
      attempts: found.attempts,
      nextAttemptAt: status === 'pending' ? found.next_at : null,
      channels,
      payload: JSON.parse(body) as unknown,
      timestamp: found.timestamp,
    };
  };
