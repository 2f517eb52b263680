import { sql } from 'kysely';
import { z } from 'zod';
import { inTransaction, type EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { channelNumbers } from '../notices/channels.ts';
import { noticeStates } from '../notices/statuses.ts';
import type { SendingFacts } from '../notices/rules/sending-rules.ts';
import { byRecipient } from './by-recipient.ts';
import { closeWindows, lockDueWindows, waitingIn } from './close-windows.ts';
import { batchingOf, joinWindows } from './join-windows.ts';
import { factsOfNotices } from './facts-of-notices.ts';
import { judge } from './judge-notice.ts';
import { lockTaken } from './lock-taken.ts';
import { lockReaders, readNotices, type NoticeRow } from './read-notices.ts';
import { suppressedAmong } from './suppressed.ts';
import { deleteWindows, hasWindows, markBatching, openWindows, type Closing } from './windows.ts';
import {
  createDeliveries,
  deliveryOf,
  endNotices,
  removeNotices,
  type EndedNotice,
} from './write-deliveries.ts';
import type { ChannelContext } from './channel-context.ts';

/** Max notices that one transaction advances. */
export const maxNotices = 200;

/** What one transaction has advanced. */
interface Advanced {
  /** Number of due notices or windows; 0: none was due. */
  readonly due: number;
  /** Notices that failed a rule. */
  readonly ended: readonly EndedNotice[];
}

const nothing: Advanced = { due: 0, ended: [] };

/**
 * Advances due notices: ends those that fail a rule; the others join windows, or become deliveries where the key has no
 * windows.
 */
export async function advanceNotices(context: ChannelContext): Promise<Advanced> {
  return inTransaction(context.orm, async (em) => {
    const due = await lockDueNotices(em, context);
    if (due.length === 0) return nothing;
    await lockReaders(
      em,
      due.map(({ user }) => user),
    );
    const { passing, ended } = await judged(
      em,
      context,
      due.map(({ id }) => id),
    );
    const advanced: Advanced = { due: due.length, ended };
    const { windows } = context.settings;
    if (!hasWindows(windows)) {
      await createDeliveries(
        em,
        context,
        passing.flatMap((notice) => deliveryOf([notice])),
        context.now,
      );
      return advanced;
    }
    if (passing.length === 0) return advanced;
    await openWindows(em, context, context.now, windows, passing);
    const joining = joinWindows(windows, await batchingOf(em, context, windows, passing), passing);
    const left = passing.filter(({ id }) => joining.left.has(id));
    await markBatching(
      em,
      context,
      left.map(({ id }) => id),
    );
    const endedByWindows = await close(em, context, joining, new Set(due.map(({ id }) => id)));
    // A notice that arrived after its window had closed opens a new window.
    if (joining.ended.length > 0) await openWindows(em, context, context.now, windows, left);
    return { ...advanced, ended: [...ended, ...endedByWindows] };
  });
}

/** Closes up to `maxWindows` due windows and creates deliveries of their notices. */
export async function closeDueWindows(context: ChannelContext): Promise<Advanced> {
  return inTransaction(context.orm, async (em) => {
    const due = await lockDueWindows(em, context, context.now);
    if (due.length === 0) return nothing;
    await lockReaders(
      em,
      due.map(({ user }) => user),
    );
    const ended = await close(em, context, closeWindows(due, await waitingIn(em, context, due)));
    return { due: due.length, ended };
  });
}

/**
 * Deletes the ended windows, and creates a delivery of each group of notices that passes the rules, for each address that
 * they go to. `arriving`: notices of `taken` that are due and locked. Returns the notices that fail a rule.
 */
async function close(
  em: EntityManager,
  context: ChannelContext,
  { taken, ended }: Closing,
  arriving: ReadonlySet<string> = new Set(),
): Promise<readonly EndedNotice[]> {
  const groups = await lockTaken(em, context, taken, arriving);
  const { passing, ended: failing } = await judged(
    em,
    context,
    groups.flatMap(({ notices }) => notices.map(({ id }) => id)),
  );
  const kept = new Map(passing.map((notice) => [notice.id, notice]));
  const deliveries = groups.flatMap(({ notices, closesAt }) =>
    byRecipient(
      context.channel,
      notices.flatMap(({ id }) => kept.get(id) ?? []),
    )
      .flatMap(deliveryOf)
      .map((delivery) => ({ ...delivery, closesAt })),
  );
  await createDeliveries(em, context, deliveries, context.now);
  await deleteWindows(em, context, ended);
  return failing;
}

interface Judged {
  readonly passing: readonly NoticeRow[];
  readonly ended: readonly EndedNotice[];
}

/** Ends or removes the notices that fail a rule. Returns those that it has ended, and the others. */
async function judged(em: EntityManager, context: ChannelContext, ids: readonly string[]): Promise<Judged> {
  const notices = await readNotices(em, { ...context, ids });
  const facts = await readFacts(em, context, notices);
  const outcomes = notices.map((notice) => ({ notice, result: judge(facts.get(notice.id)) }));
  const ended = outcomes.flatMap(({ notice: { id }, result }) =>
    result.outcome === 'ended' ? [{ ...result, id }] : [],
  );
  await endNotices(em, context, ended);
  await removeNotices(
    em,
    context,
    outcomes.flatMap(({ notice: { id }, result }) => (result.outcome === 'removed' ? [id] : [])),
  );
  const passing = outcomes.flatMap(({ notice, result }) => (result.outcome === 'kept' ? [notice] : []));
  return { passing, ended };
}

/** Returns the facts of notices, including the key's suppression list. */
export async function readFacts(
  em: EntityManager,
  context: ChannelContext,
  notices: readonly NoticeRow[],
): Promise<ReadonlyMap<string, SendingFacts>> {
  const isSuppressed = await suppressedAmong(em, context, notices);
  return factsOfNotices(em, { ...context, isSuppressed }, notices);
}

const DueRow = z.strictObject({ id: z.string(), user: z.string() });

/** Locks the next due notices, in order of their due times. */
export async function lockDueNotices(
  em: EntityManager,
  { tenantId, channel, now }: Pick<ChannelContext, 'tenantId' | 'channel' | 'now'>,
) {
  return rowsOf(
    em,
    DueRow,
    sql`select id, user_id as "user" from notice
      where api_key_id = ${tenantId} and channel = ${sql.lit(channelNumbers[channel])} and state = ${sql.lit(noticeStates.waiting)}
        and due_at <= ${now} order by due_at limit ${sql.lit(maxNotices)} for update skip locked`,
  );
}
