import { classifyDatabaseError } from '../../../platform/database/failures.ts';
import { inTransaction, type EntityManager } from '../../../platform/database/orm.ts';
import { retryConflicts } from '../../../platform/database/retry-conflicts.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import { responseOf, workOf, type Executed, type Frame } from './execute.ts';

/** Bytes of a request that may share a transaction, and of all that share one: larger ones gain nothing. */
const maxOfOne = 32_768;
const maxTogether = 262_144;
/** Calls of one transaction. */
const maxCalls = 100;
/** While a transaction runs, calls gather; another begins beside it, up to so many, once `worthAnother` of them wait. */
const atOnce = 3;
const worthAnother = 16;
/** Milliseconds after which a transaction is not waited for any more by those that gather. */
const patience = 10;
/** Milliseconds that a shared transaction waits for a lock: whom it concerns waits alone, and nobody else with it. */
const lockTimeout = 250;
/** Milliseconds in which calls go apart after some could not go together. */
const apart = 1_000;

/** An endpoint whose calls may share a transaction. */
type GroupedEndpoint = Endpoint & { readonly handleTogether: NonNullable<Endpoint['handleTogether']> };

export const isGrouped = (endpoint: Endpoint): endpoint is GroupedEndpoint =>
  endpoint.handleTogether !== undefined;

type TenantCall = Call<'apiKey', unknown>;

interface Waiting {
  readonly call: TenantCall;
  readonly bytes: number;
  /** The call in a transaction of its own. */
  readonly alone: () => Promise<Executed>;
  readonly resolve: (executed: Executed) => void;
  readonly reject: (error: unknown) => void;
}

/** Calls of one endpoint and one key, whose settings they have all found alike. */
interface Lane {
  readonly key: string;
  readonly endpoint: GroupedEndpoint;
  waiting: Waiting[];
  running: number;
  starting: boolean;
  /** On the clock of `performance`. */
  apartUntil: number;
}

/**
 * Group commit: small calls of one key that come while others are being written share the next transaction, so that a
 * hundred of them cost little more than one. A call that nobody is ahead of goes at once. None sees a difference: when
 * they cannot all be written, each is tried by itself.
 */
export class GroupCommit {
  readonly #lanes = new Map<string, Lane>();

  execute(
    frame: Frame,
    endpoint: GroupedEndpoint,
    call: TenantCall,
    sent: Pick<Waiting, 'bytes' | 'alone'>,
  ): Promise<Executed> {
    if (sent.bytes > maxOfOne) return sent.alone();
    const { tenant } = call;
    const key = `${endpoint.paths[0]} ${tenant.id} ${JSON.stringify(tenant.switches)}`;
    const lane = this.#lanes.get(key) ?? {
      key,
      endpoint,
      waiting: [],
      running: 0,
      starting: false,
      apartUntil: 0,
    };
    if (performance.now() < lane.apartUntil) return sent.alone();
    this.#lanes.set(key, lane);
    return new Promise((resolve, reject) => {
      lane.waiting.push({ call, ...sent, resolve, reject });
      this.#start(frame, lane);
    });
  }

  #start(frame: Frame, lane: Lane): void {
    if (lane.starting || lane.running >= atOnce) return;
    if (lane.running > 0 && lane.waiting.length < worthAnother) return;
    lane.starting = true;
    // What else comes in this turn of the event loop comes along.
    setImmediate(() => {
      lane.starting = false;
      const group = take(lane);
      if (group.length > 0) void this.#run(frame, lane, group);
      if (lane.waiting.length > 0) this.#start(frame, lane);
    });
  }

  async #run(frame: Frame, lane: Lane, group: readonly Waiting[]): Promise<void> {
    lane.running += 1;
    let counted = true;
    const next = (): void => {
      if (!counted) return;
      counted = false;
      lane.running -= 1;
      if (lane.waiting.length > 0) this.#start(frame, lane);
      else if (lane.running === 0 && !lane.starting) this.#lanes.delete(lane.key);
    };
    const timer = setTimeout(next, patience);
    await settle(frame, lane, group);
    clearTimeout(timer);
    next();
  }
}

/** Those that have waited longest, as many as fit. */
function take(lane: Lane): Waiting[] {
  let bytes = 0;
  const fitting = lane.waiting.findIndex((one, place) => {
    bytes += one.bytes;
    return place > 0 && (place === maxCalls || bytes > maxTogether);
  });
  return lane.waiting.splice(0, fitting === -1 ? lane.waiting.length : fitting);
}

/** Never throws. */
async function settle(frame: Frame, lane: Lane, group: readonly Waiting[]): Promise<void> {
  if (group.length > 1 && performance.now() >= lane.apartUntil) {
    try {
      const executed = await writeTogether(frame, lane.endpoint, group);
      for (const [place, { resolve, reject }] of group.entries()) {
        const own = executed[place];
        if (own === undefined) reject(new Error('A call was not answered by those that it went with.'));
        else resolve(own);
      }
      return;
    } catch (error) {
      if (classifyDatabaseError(error) === 'unavailable') {
        // Whether the commit was reached is not known: nobody may be written twice.
        for (const { reject } of group) reject(error);
        return;
      }
      lane.apartUntil = performance.now() + apart;
    }
  }
  await Promise.all(group.map(async ({ alone, resolve, reject }) => alone().then(resolve, reject)));
}

async function writeTogether(
  frame: Frame,
  endpoint: GroupedEndpoint,
  group: readonly Waiting[],
): Promise<Executed[]> {
  const calls = group.map(({ call }) => call);
  const act = async (em: EntityManager): Promise<Executed[]> => {
    const replies = await endpoint.handleTogether(calls, workOf(frame, em));
    await em.flush();
    const written = replies.map(async (reply) => responseOf(endpoint, reply));
    return (await Promise.all(written)).map((answered) => ({ ...answered, replayed: false }));
  };
  const settings = { lock_timeout: String(lockTimeout) };
  return retryConflicts(async () => inTransaction(frame.orm, act, settings));
}
