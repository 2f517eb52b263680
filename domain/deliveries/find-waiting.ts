import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { nameOfNumber } from '../name-of-number.ts';
import { channelNumbers, type KeyChannel } from '../notices/channels.ts';
import { noticeStates } from '../notices/statuses.ts';
import type { ScanPage } from '../scan-page.ts';
import { isActive } from '../workspaces/key-activity.ts';

/** Max channels of keys that one query examines. */
const pageSize = 500;

/** Seconds after which a due row is overdue: its signal or timer was lost. */
const overdueSeconds = 20;

export interface WaitingTable {
  readonly name: string;
  /** The column of the due time, the last of an index with key and channel. */
  readonly due: RawBuilder<unknown>;
  /** SQL: the condition of the partial index. */
  readonly indexed: RawBuilder<unknown>;
  /** SQL: which of the indexed rows count. */
  readonly counted: RawBuilder<unknown>;
}

const every = sql`true`;

/** Tables whose rows wait until they are due. */
export const waitingTables: readonly WaitingTable[] = [
  {
    name: 'notice',
    due: sql`due_at`,
    indexed: sql`state = ${sql.lit(noticeStates.waiting)}`,
    counted: every,
  },
  { name: 'notice_window', due: sql`closes_at`, indexed: every, counted: every },
  {
    name: 'outgoing',
    due: sql`next_at`,
    indexed: every,
    counted: sql`(claimed_until is null or claimed_until < now())`,
  },
];

/** `key_id` is null for a channel that must not be woken. */
const SenderRow = z.strictObject({ id: z.string(), channel: z.number(), key_id: z.string().nullable() });

/** A key and a channel: surrogate key and number. */
interface SenderPosition {
  readonly id: string;
  readonly channel: number;
}

/**
 * Returns a search for the channels of active keys with rows of a table overdue by 20 s, except held channels whose next
 * attempt is not due. One index probe per channel of a key.
 */
export const overdueSendersOf =
  (table: WaitingTable) =>
  async (em: EntityManager, after?: SenderPosition): Promise<ScanPage<KeyChannel, SenderPosition>> => {
    const page = await rowsOf(em, SenderRow, overduePage(table, after));
    const found = page.flatMap(({ key_id: keyId, channel }) =>
      keyId === null ? [] : [{ keyId, channel: nameOfNumber(channelNumbers, channel) }],
    );
    return { found, next: page.length < pageSize ? undefined : page.at(-1) };
  };

function overduePage({ name, due, indexed, counted }: WaitingTable, after: SenderPosition | undefined) {
  const table = sql.table(name);
  return sql`with recursive lanes as (${lanesOf({ name, indexed }, after)})
    select l.api_key_id as id, l.channel, k.public_id as key_id
    from (select * from lanes limit ${sql.lit(pageSize)}) l
    left join lateral (
      select k.public_id from api_key k where k.id = l.api_key_id and ${isActive}
        and exists (select from ${table} t where t.api_key_id = l.api_key_id and t.channel = l.channel and ${indexed} and ${counted}
          and ${due} < now() - ${sql.lit(overdueSeconds)} * interval '1 second')
        and not ${waitsForNextTry}
      limit 1) k on true
    order by l.api_key_id, l.channel`;
}

/** SQL: whether the lane `l` is held and its next attempt is not due. */
export const waitsForNextTry = sql`exists (
  select from channel_state s where s.api_key_id = l.api_key_id and s.channel = l.channel and s.next_try > now())`;

/** SQL of the recursive query `lanes`: each key and channel with rows, after a position, by one index probe each. */
export const lanesOf = (
  { name, indexed }: Pick<WaitingTable, 'name' | 'indexed'>,
  after: SenderPosition = { id: '0', channel: 0 },
): RawBuilder<unknown> => {
  const table = sql.table(name);
  return sql`(select api_key_id, channel from ${table}
      where ${indexed} and (api_key_id, channel) > (${after.id}::bigint, ${after.channel}::smallint)
      order by api_key_id, channel limit 1)
    union all
    select n.api_key_id, n.channel from lanes l cross join lateral (
      select x.api_key_id, x.channel from ${table} x where ${indexed} and (x.api_key_id, x.channel) > (l.api_key_id, l.channel)
      order by x.api_key_id, x.channel limit 1) n`;
};
