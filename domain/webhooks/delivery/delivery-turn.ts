import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterCommit, inTransaction, type EntityManager, type Orm } from '../../../platform/database/orm.ts';
import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import { noticeTimeline } from '../../restores/epochs.ts';
import { tablesOf } from '../../tables.ts';
import { servedKinds } from '../provider.ts';
import { claim, isOlder, maxKeptDays, recentDays, type ClaimedBatch } from './claim.ts';
import { endOrContinue, type TurnEnd } from './end-or-continue.ts';
import { promiseDrain } from './promise-drain.ts';
import { continueOutageRecovery } from './outage.ts';
import { allowedNow, paceAfter, paceOf } from './pace.ts';
import type { PayloadRoom } from './payload-room.ts';
import { record } from './record.ts';
import { RequestsInFlight } from './requests-in-flight.ts';
import { resolve, type Destination, type EndpointRef } from './resolve.ts';
import { scanFrom, scanned } from './scan-position.ts';
import type { AttemptContext, SentMessage } from './send.ts';
import { nextPollMs, initialTurnState, type TurnState } from './turn-state.ts';

export interface TurnOptions {
  readonly orm: Orm;
  readonly keyRing: KeyRing;
  readonly attemptContext: AttemptContext;
  /** The delay before each attempt, including the first. */
  readonly retryDelaysMs: readonly number[];
  /** Max requests in flight for the endpoint now. */
  readonly share: () => number;
  /** The payloads in flight of the process. */
  readonly payloads: PayloadRoom;
  /** Aborts claiming; the turn ends after the requests in flight. */
  readonly signal: AbortSignal;
  /** Receives an epoch that the turn has begun. */
  readonly onRestore: (epoch: string) => void;
}

/** The result of a turn. */
export interface Turn extends TurnEnd {
  readonly attempted: number;
  readonly delivered: number;
}

const timesMs = {
  /** A turn claims nothing later, so a hanging endpoint occupies a slot for at most this time and one exchange. */
  turn: 10_000,
  /** Max wait between two checks of the signal and of the end of the turn. */
  wait: 1_000,
  /** Limit for recording attempts while the database fails, and the wait between retries. */
  record: 20_000,
  again: 250,
} as const;

/*
 * After a PostgreSQL crash, messages of the last moments are sent again, which at-least-once delivery allows. Waiting for
 * the disk would delay every batch.
 */
const asynchronousCommit = { synchronous_commit: 'off' };

/**
 * Runs one turn for one endpoint: polls the database, sends the messages it claims, and repeats until nothing is due. Polls
 * continue while requests are in flight.
 */
export async function deliverDue(options: TurnOptions, ref: EndpointRef): Promise<Turn> {
  const requests = new RequestsInFlight(options.attemptContext, options.payloads);
  try {
    const end = await deliver({ ...options, ref, requests });
    return { ...end, ...requests.counts };
  } finally {
    await requests.ended();
  }
}

interface Delivery extends TurnOptions {
  readonly ref: EndpointRef;
  readonly requests: RequestsInFlight;
}

async function deliver(delivery: Delivery): Promise<TurnEnd> {
  const { orm, signal, requests } = delivery;
  const closesAt = performance.now() + timesMs.turn;
  let state = initialTurnState;
  for (;;) {
    const polledAt = performance.now();
    const closing = signal.aborted || polledAt > closesAt;
    const poll = await recordAndClaim({ ...delivery, closing }, state);
    if (poll.claimed !== undefined) requests.send(poll.claimed);
    state = poll.state;
    if (requests.idle) {
      if (closing) return { nextIn: 0 };
      const nothingDue = poll.claimed !== undefined && polledAt > state.promisedUntil && !state.recovering;
      const next = await endOrContinue(orm.em.fork(), state, nothingDue);
      if ('nextIn' in next) return next;
      state = next;
    }
    const waitMs = Math.max(state.pollMs, (state.pace ?? 0) - performance.now());
    await requests.wait(Math.min(waitMs, timesMs.wait));
  }
}

interface Polling extends Delivery {
  /** True when the turn claims nothing more. */
  readonly closing: boolean;
}

/** The state after a poll; `claimed` is undefined when the poll did not query messages. */
interface Poll {
  readonly state: TurnState;
  readonly claimed?: ClaimedBatch;
}

/** Retries while the database fails: a message whose attempt is not recorded would be sent again. */
async function recordAndClaim(polling: Polling, state: TurnState): Promise<Poll> {
  const { orm, requests } = polling;
  const sent = requests.take();
  if (sent.length === 0 && roomFor(polling, state) === 0) return { state };
  const until = performance.now() + timesMs.record;
  for (;;) {
    // PostgreSQL counts the time of a claim from the beginning of its transaction.
    const claimedAt = performance.now();
    try {
      return await inTransaction(
        orm,
        async (em) => resolveRecordClaim(em, { ...polling, claimedAt }, state, sent),
        asynchronousCommit,
      );
    } catch (error) {
      // Responses of requests in flight still have to be recorded.
      if (performance.now() > until || (sent.length === 0 && requests.inFlight === 0)) throw error;
      await pause(timesMs.again);
      if (sent.length === 0) return { state };
    }
  }
}

/** One transaction: resolves the endpoint, records its attempts and claims due messages. */
async function resolveRecordClaim(
  em: EntityManager,
  polling: Polling & Pick<ClaimedBatch, 'claimedAt'>,
  former: TurnState,
  sent: readonly SentMessage[],
): Promise<Poll> {
  const destination = heldForProvider(await resolveInEpoch(em, polling), polling.attemptContext);
  if (destination !== undefined && (await record(em, destination, sent, polling.retryDelaysMs)))
    return { state: { ...former, destination: { ...destination, state: 'disabled' }, recovering: false } };
  if (destination?.state !== 'open') return { state: { ...former, destination, recovering: false } };
  const first = former.destination === undefined;
  const state = {
    ...former,
    destination,
    recovering: await continueOutageRecovery(em, destination, sent),
    promisedUntil: first ? performance.now() + destination.drainingMs : former.promisedUntil,
    pace: former.pace ?? (await paceOf(em, destination)),
  };
  const max = roomFor(polling, state);
  const maxBytes = polling.payloads.of(destination.tenantId);
  if (max === 0) return { state };
  // Other endpoints of the key fill its room: this one polls less often.
  if (maxBytes === 0) return { state: { ...state, pollMs: nextPollMs(state, 0) } };
  const startedAt = performance.now();
  const from = scanFrom(state.scan, startedAt);
  const days = state.mayBeOlder ? maxKeptDays : recentDays;
  const messages = await claim(em, destination, { max, maxBytes, days, from });
  const last = messages.at(-1)?.dueAt;
  const scan = scanned(state.scan, { from, last, startedAt, endedAt: performance.now() });
  const found = { scan, mayBeOlder: messages.some(isOlder), pollMs: nextPollMs(state, messages.length) };
  const claimed = { destination, messages, claimedAt: polling.claimedAt };
  if (messages.length === 0) return { state: { ...state, ...found }, claimed };
  const promisedUntil = await promiseDrain(em, destination, state);
  const pace = paceAfter(state.pace, messages.length, destination.rateLimit);
  return {
    state: { ...state, ...found, pace, promisedUntil, hasClaimed: true },
    claimed,
  };
}

/**
 * Resolves the endpoint. After a failover it begins an epoch first: in the transaction that claims the messages, so that
 * none of them carries the epoch of the former server.
 */
async function resolveInEpoch(
  em: EntityManager,
  { keyRing, ref, onRestore }: Polling,
): Promise<Destination | undefined> {
  const destination = await resolve(em, keyRing, ref);
  if (destination?.isOtherTimeline !== true) return destination;
  const epoch = await noticeTimeline(em);
  if (epoch !== undefined) {
    // No message leaves before the epoch is as durable as a customer's write.
    await sql`set local synchronous_commit to default`.execute(tablesOf(em));
    afterCommit(em, () => onRestore(epoch));
  }
  return resolve(em, keyRing, ref);
}

/** An endpoint of another provider than the configured one keeps its messages: its customer can neither see nor delete it. */
const heldForProvider = (
  destination: Destination | undefined,
  { webhooks }: AttemptContext,
): Destination | undefined =>
  destination?.state === 'open' && !servedKinds(webhooks.name).includes(destination.kind)
    ? { ...destination, state: 'waiting' }
    : destination;

/** Returns the number of messages that the turn may claim now. */
function roomFor({ share, requests, closing }: Polling, state: TurnState): number {
  return closing ? 0 : Math.max(0, Math.min(share() - requests.inFlight, allowedNow(state)));
}
