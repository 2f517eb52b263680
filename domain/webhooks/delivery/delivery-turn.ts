import { setTimeout as pause } from 'node:timers/promises';
import { inTransaction, type EntityManager, type Orm } from '../../../platform/database/orm.ts';
import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import { claim, keptDays, recentDays, type Claimed } from './claim.ts';
import { keepLooking } from './keep-looking.ts';
import { recover } from './outage.ts';
import { allowedNow, paceAfter, paceOf } from './pace.ts';
import { record } from './record.ts';
import { RequestsUnderWay } from './requests-under-way.ts';
import { resolve, type EndpointRef } from './resolve.ts';
import { schedule, type TurnEnd } from './schedule.ts';
import type { Senders, SentMessage } from './send.ts';
import { nextLookMs, nothingKnown, type TurnState } from './turn-state.ts';

export interface TurnOptions {
  readonly orm: Orm;
  readonly keyRing: KeyRing;
  readonly senders: Senders;
  /** Milliseconds before each attempt. */
  readonly schedule: readonly number[];
  /** How many requests the endpoint may have under way now. */
  readonly share: () => number;
  /** Claims nothing more, and ends when what is under way has. */
  readonly signal: AbortSignal;
}

/** What a turn has done. */
export interface Turn extends TurnEnd {
  readonly attempted: number;
  readonly delivered: number;
}

/** Milliseconds. */
const times = {
  /** A turn claims nothing new after it, so that whatever hangs has its slot no longer than this and one exchange. */
  turn: 10_000,
  /** For recording what was sent, however often the database fails, and between two tries. */
  record: 20_000,
  again: 250,
} as const;

/*
 * Should PostgreSQL die within the next moment, what was sent is sent again: that may happen anyway, and what waits for the
 * disk here would wait before every batch.
 */
const unhurried = { synchronous_commit: 'off' };

/**
 * One turn for one endpoint: looks at the database, sends what it claims there, and looks again, until nothing is left and
 * the next turn is scheduled. Looks go on beside requests that are under way.
 */
export async function deliverDue(options: TurnOptions, ref: EndpointRef): Promise<Turn> {
  const requests = new RequestsUnderWay(options.senders);
  try {
    const end = await deliver({ ...options, ref, requests });
    return { ...end, ...requests.counts };
  } finally {
    await requests.ended();
  }
}

interface Delivery extends TurnOptions {
  readonly ref: EndpointRef;
  readonly requests: RequestsUnderWay;
}

async function deliver(delivery: Delivery): Promise<TurnEnd> {
  const { orm, signal, requests } = delivery;
  const closesAt = performance.now() + times.turn;
  let state = nothingKnown;
  for (;;) {
    const lookedAt = performance.now();
    const closing = signal.aborted || lookedAt > closesAt;
    const look = await recordAndClaim({ ...delivery, closing }, state);
    if (look.claimed !== undefined) requests.send(look.claimed);
    state = look.state;
    if (requests.idle) {
      if (closing) return { nextIn: 0 };
      const nothingDue = look.claimed !== undefined && lookedAt > state.promisedUntil;
      const scheduled = await schedule(orm.em.fork(), state, nothingDue);
      if ('nextIn' in scheduled) return scheduled;
      state = scheduled;
    }
    await requests.wait(Math.max(state.lookMs, (state.pace ?? 0) - performance.now()));
  }
}

interface Looking extends Delivery {
  /** Nothing more is claimed. */
  readonly closing: boolean;
}

/** What the turn knows now, and what it sends; `claimed` is undefined when it did not look for messages. */
interface Look {
  readonly state: TurnState;
  readonly claimed?: Claimed;
}

/** Repeats the look while the database fails: what is not recorded would be sent again. */
async function recordAndClaim(looking: Looking, state: TurnState): Promise<Look> {
  const { orm, requests } = looking;
  const sent = requests.take();
  if (sent.length === 0 && roomFor(looking, state) === 0) return { state };
  const until = performance.now() + times.record;
  for (;;) {
    try {
      return await inTransaction(orm, async (em) => resolveRecordClaim(em, looking, state, sent), unhurried);
    } catch (error) {
      // Nothing is given up while there are responses to come, which are to be recorded.
      if (performance.now() > until || (sent.length === 0 && requests.underWay === 0)) throw error;
      await pause(times.again);
      if (sent.length === 0) return { state };
    }
  }
}

/** One transaction: resolves the endpoint, records what was sent to it, and claims what is due. */
async function resolveRecordClaim(
  em: EntityManager,
  looking: Looking,
  former: TurnState,
  sent: readonly SentMessage[],
): Promise<Look> {
  const destination = await resolve(em, looking.keyRing, looking.ref);
  if (destination !== undefined) await record(em, destination, sent, looking.schedule);
  if (destination?.state !== 'open') return { state: { ...former, destination } };
  const first = former.destination === undefined;
  const state = {
    ...former,
    destination,
    recoveredUntil: await recover(em, destination, sent, former.recoveredUntil),
    promisedUntil: first ? performance.now() + destination.drainingFor : former.promisedUntil,
    pace: former.pace ?? (await paceOf(em, destination)),
  };
  const max = roomFor(looking, state);
  if (max === 0) return { state };
  const messages = await claim(em, destination, { max, days: first ? keptDays : recentDays });
  const lookMs = nextLookMs(state, messages.length);
  if (messages.length === 0) return { state: { ...state, lookMs }, claimed: { destination, messages } };
  const promisedUntil = await keepLooking(em, destination, state);
  const pace = paceAfter(state.pace, messages.length, destination.rateLimit);
  return {
    state: { ...state, lookMs, pace, promisedUntil, hasClaimed: true },
    claimed: { destination, messages },
  };
}

/** Messages that may be claimed now. */
function roomFor({ share, requests, closing }: Looking, state: TurnState): number {
  return closing ? 0 : Math.max(0, Math.min(share() - requests.underWay, allowedNow(state)));
}
