import { classifyDatabaseError } from '../../platform/database/failures.ts';
import type { Orm } from '../../platform/database/orm.ts';
import type { Checked } from './check-deliveries.ts';
import type { ClaimedDelivery } from './claim-deliveries.ts';
import type { ChannelTransport } from './transport.ts';
import { readMessages } from './read-messages.ts';
import type { Attempted } from './send-deliveries.ts';
import type { ChannelContext } from './channel-context.ts';

type Sendable = Checked['sendable'];

/** Milliseconds until a delivery whose message the database could not return is tried again. */
const readAgainMs = 60_000;

/** The attempts of a claim. */
export interface Prepared {
  readonly attempt: (delivery: ClaimedDelivery) => Promise<Attempted>;
  /** The errors of deliveries whose message could not be prepared, so far. */
  readonly unprepared: readonly unknown[];
}

/**
 * Reads what the messages of deliveries need, for all together; for each alone, before its attempt, when that fails. So a
 * delivery whose message cannot be prepared holds no other one: its attempt has failed with the code `unprepared`.
 */
export async function prepareAttempts(
  orm: Orm,
  context: ChannelContext,
  transport: ChannelTransport,
  sendable: Sendable,
): Promise<Prepared> {
  const unprepared: unknown[] = [];
  const attemptOf = await attemptsOf(orm, context, transport, sendable).catch(() => undefined);
  if (attemptOf !== undefined) return { attempt: attemptOf, unprepared };
  const byId = Map.groupBy(sendable, ({ delivery }) => delivery.id);
  return {
    unprepared,
    attempt: async (delivery) => {
      let alone: Prepared['attempt'];
      try {
        alone = await attemptsOf(orm, context, transport, byId.get(delivery.id) ?? []);
      } catch (error) {
        unprepared.push(error);
        if (classifyDatabaseError(error) !== 'unexpected') return { postponedMs: readAgainMs };
        const verdict = { result: 'failed', code: 'unprepared' } as const;
        return { verdict, provider: null, unknownAddress: null };
      }
      return alone(delivery);
    },
  };
}

async function attemptsOf(
  orm: Orm,
  context: ChannelContext,
  transport: ChannelTransport,
  sendable: Sendable,
): Promise<Prepared['attempt']> {
  const ids = sendable.flatMap(({ notices }) => notices.map(({ id }) => id));
  const messages = await readMessages(orm.em.fork(), context, ids);
  const noticesOf = new Map(sendable.map(({ delivery, notices }) => [delivery.id, notices]));
  const attempt = await transport.prepare(orm.em.fork(), [...messages.values()], [...noticesOf.values()]);
  return async (delivery) =>
    attempt(delivery, messages.get(delivery.id) ?? [], noticesOf.get(delivery.id) ?? []);
}
