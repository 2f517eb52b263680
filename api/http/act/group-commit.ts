import { DomainError } from '../../../domain/errors.ts';
import type { IdempotentRequest } from '../../../domain/idempotency/idempotent-request.ts';
import { withConnectionsOf } from '../../../platform/database/connection-shares.ts';
import { classifyDatabaseError } from '../../../platform/database/failures.ts';
import { inTransaction, type EntityManager } from '../../../platform/database/orm.ts';
import { retryConflicts } from '../../../platform/database/retry-conflicts.ts';
import { captureContext, type WithinContext } from '../../../platform/logging/log-context.ts';
import type { Call, WriteEndpoint } from '../endpoint.ts';
import type { Executed } from './claimed-key.ts';
import { responseOf } from './execute.ts';
import { writeWithKeys } from './grouped-keys.ts';
import { workOf, type HttpDependencies } from './work.ts';
import type { WriteRoom } from './write-room.ts';

/** Max bytes of one request in a shared transaction, and of all its requests. Larger requests gain nothing. */
const maxRequestBytes = 32_768;
const maxGroupBytes = 262_144;
/** Max calls per transaction, and of these, calls with an Idempotency-Key: each takes a lock of PostgreSQL's lock table. */
const maxGroupCalls = 100;
const maxGroupKeys = 32;
/** Max concurrent transactions per lane. A further one starts only once `minWaitingCalls` calls wait. */
const maxTransactions = 3;
const minWaitingCalls = 16;
/** Time after which a running transaction no longer delays waiting calls. */
const maxDelayMs = 10;
/** Lock timeout of a shared transaction. After it, each call runs alone, so only the call that needs the lock waits. */
const lockTimeoutMs = 250;
/** Time for which calls run alone after a shared transaction failed, or after the second refusal within this time. */
const ungroupedMs = 1_000;

/** An endpoint whose calls may share a transaction. */
type GroupedEndpoint = WriteEndpoint & Required<Pick<WriteEndpoint, 'grouping'>>;

export const isGrouped = (endpoint: WriteEndpoint): endpoint is GroupedEndpoint =>
  endpoint.grouping !== undefined;

type TenantCall = Call<'apiKey', unknown>;

interface Waiting {
  readonly call: TenantCall;
  readonly bytes: number;
  readonly idempotent: IdempotentRequest | undefined;
  readonly room: WriteRoom;
  /** The owner of the connections that the transaction uses, the same for all calls of a lane. */
  readonly owner: string;
  /** Runs the call in a transaction of its own. */
  readonly alone: () => Promise<Executed>;
  /** Runs a function in the span and with the log fields of the call. */
  readonly within: WithinContext;
  readonly resolve: (executed: Executed) => void;
  readonly reject: (error: unknown) => void;
}

/** Calls of one endpoint and one key under the same settings, and of one `laneOf` where the endpoint has it. */
interface Lane {
  readonly key: string;
  readonly endpoint: GroupedEndpoint;
  waiting: Waiting[];
  /** Transactions that delay waiting calls. */
  running: number;
  /** Groups with calls that have not ended. */
  unsettled: number;
  starting: boolean;
  /** By `performance.now()`. */
  ungroupedUntil: number;
  /** When the last shared transaction failed because a call was refused. By `performance.now()`. */
  refusedAt: number;
}

/**
 * Group commit: small calls of one key that arrive while a transaction runs share the next one. So 100 calls cost
 * little more than one. A call without a running transaction starts immediately. If the shared transaction fails, each
 * call runs alone, so grouping is invisible to callers. Without it, single writes fall from 0.89 to 0.16 of the baseline
 * (docs/benchmarks.md).
 */
export class GroupCommit {
  readonly #lanes = new Map<string, Lane>();

  /** Lanes in memory. */
  get lanes(): number {
    return this.#lanes.size;
  }

  execute(
    dependencies: HttpDependencies,
    endpoint: GroupedEndpoint,
    call: TenantCall,
    sent: Pick<Waiting, 'bytes' | 'idempotent' | 'alone' | 'room' | 'owner'>,
  ): Promise<Executed> {
    const { laneOf = () => '' } = endpoint.grouping;
    const own = sent.bytes > maxRequestBytes ? undefined : laneOf(call);
    if (own === undefined) return sent.alone();
    const { tenant } = call;
    const key = `${endpoint.paths[0]} ${tenant.id} ${JSON.stringify(tenant.switches)} ${own}`;
    const lane = this.#lanes.get(key) ?? {
      key,
      endpoint,
      waiting: [],
      running: 0,
      unsettled: 0,
      starting: false,
      ungroupedUntil: 0,
      refusedAt: -Infinity,
    };
    if (performance.now() < lane.ungroupedUntil) return sent.alone();
    this.#lanes.set(key, lane);
    return new Promise((resolve, reject) => {
      const within = captureContext();
      lane.waiting.push({ call, ...sent, within, resolve, reject });
      this.#start(dependencies, lane);
    });
  }

  #start(dependencies: HttpDependencies, lane: Lane): void {
    if (lane.starting || lane.running >= maxTransactions) return;
    if (lane.running > 0 && lane.waiting.length < minWaitingCalls) return;
    lane.starting = true;
    // Calls of the same event-loop turn join the group.
    setImmediate(() => {
      lane.starting = false;
      const group = take(lane);
      if (group.length > 0) void this.#run(dependencies, lane, group);
      if (lane.waiting.length > 0) this.#start(dependencies, lane);
    });
  }

  async #run(dependencies: HttpDependencies, lane: Lane, group: readonly Waiting[]): Promise<void> {
    lane.running += 1;
    lane.unsettled += 1;
    let counted = true;
    const next = (): void => {
      if (!counted) return;
      counted = false;
      lane.running -= 1;
      if (lane.waiting.length > 0) this.#start(dependencies, lane);
    };
    const timer = setTimeout(next, maxDelayMs);
    await settle(dependencies, lane, group);
    clearTimeout(timer);
    next();
    lane.unsettled -= 1;
    this.#forget(lane);
  }

  /** Removes an idle lane once nothing that it remembers matters. */
  #forget(lane: Lane): void {
    if (lane.unsettled > 0 || lane.starting || this.#lanes.get(lane.key) !== lane) return;
    const waitMs = Math.max(lane.ungroupedUntil, lane.refusedAt + ungroupedMs) - performance.now();
    if (waitMs > 0) setTimeout(() => this.#forget(lane), waitMs).unref();
    else this.#lanes.delete(lane.key);
  }
}

/**
 * Removes and returns the oldest waiting calls that fit into one group. Calls with the same Idempotency-Key do not: the
 * later one must see that the key is taken.
 */
function take(lane: Lane): Waiting[] {
  let bytes = 0;
  const keys = new Set<string>();
  const end = lane.waiting.findIndex((one, index) => {
    bytes += one.bytes;
    const key = one.idempotent?.keyHash.toString('latin1');
    const fits = index < maxGroupCalls && bytes <= maxGroupBytes && keys.size < maxGroupKeys;
    if (index > 0 && (!fits || (key !== undefined && keys.has(key)))) return true;
    if (key !== undefined) keys.add(key);
    return false;
  });
  return lane.waiting.splice(0, end === -1 ? lane.waiting.length : end);
}

/** Never throws. */
async function settle(dependencies: HttpDependencies, lane: Lane, group: readonly Waiting[]): Promise<void> {
  const [first] = group;
  if (first !== undefined && group.length > 1 && performance.now() >= lane.ungroupedUntil) {
    try {
      const outcomes = await first.within(async () =>
        // Once for the group, whose calls have one owner, rather than a context per waiting call.
        withConnectionsOf(first.owner, async () => writeTogether(dependencies, lane.endpoint, group)),
      );
      for (const [index, { resolve, reject }] of group.entries()) {
        const outcome = outcomes[index] ?? new Error('missing reply of a grouped call');
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      }
      return;
    } catch (error) {
      if (classifyDatabaseError(error) === 'unavailable') {
        // The commit may have succeeded, so no call may run again.
        for (const { reject } of group) reject(error);
        return;
      }
      const now = performance.now();
      const refused = error instanceof DomainError;
      if (!refused || now - lane.refusedAt < ungroupedMs) lane.ungroupedUntil = now + ungroupedMs;
      if (refused) lane.refusedAt = now;
    }
  }
  const each = group.map(async ({ alone, within, resolve, reject }) => within(alone).then(resolve, reject));
  await Promise.all(each);
}

/** Returns the response to each call, or the refusal of its Idempotency-Key. */
async function writeTogether(
  dependencies: HttpDependencies,
  endpoint: GroupedEndpoint,
  group: readonly Waiting[],
): Promise<(Executed | Error)[]> {
  const act = async (em: EntityManager) =>
    writeWithKeys(em, dependencies.keyRing, group, async ([first, ...others]) => {
      const calls = [first.call, ...others.map(({ call }) => call)] as const;
      const replies = await endpoint.grouping.handleTogether(calls, workOf(dependencies, em));
      const responses = [first, ...others].flatMap(({ room }, index) => {
        const reply = replies[index];
        return reply === undefined ? [] : [responseOf(endpoint, reply, room)];
      });
      return Promise.all(responses);
    });
  const settings = { lock_timeout: String(lockTimeoutMs) };
  return retryConflicts(async () => inTransaction(dependencies.orm, act, settings));
}
