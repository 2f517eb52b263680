import { StalePreparation } from '../../../domain/errors.ts';
import {
  holdsLease,
  leaseKey,
  releaseKey,
  storeLeasedResponse,
  type Lease,
} from '../../../domain/idempotency/key-leases.ts';
import { storeResponses } from '../../../domain/idempotency/stored-responses.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { Call, Credentials, OutsideSteps, WriteEndpoint } from '../endpoint.ts';
import { claimOrReplay, keyRunning, type Executed, type Responded } from './claimed-key.ts';
import { inRetriedTransaction, runHandler, type Execution } from './execute.ts';
import { isStorable, orStorableRefusal } from './storable-refusal.ts';
import { workOf, type HttpDependencies } from './work.ts';

/** Time by which a lease outlasts the outside call: the transaction that stores the response must end within it. */
const leaseMarginMs = 15_000;

/** Max repeats after a StalePreparation, and their time limit: a key's deletion waits for its running calls. */
const repeats = { max: 3, withinMs: 10_000 } as const;

type Steps = OutsideSteps<Call<Credentials, unknown>, unknown, unknown>;

/**
 * Runs an endpoint that calls another server; see `OutsideSteps`. `callerGone` aborts when the caller disconnects. A call
 * that outlives its lease while a later call claims its key is ABORTED; a retry replays the response of that key. A call
 * whose preparation is stale runs again from `prepare`, at most three times.
 */
export async function executeOutside(
  dependencies: HttpDependencies,
  endpoint: WriteEndpoint & { readonly outside: Steps },
  call: Call<Credentials, unknown>,
  execution: Execution,
  callerGone: AbortSignal,
): Promise<Executed> {
  const { idempotent, room } = execution;
  const { limitMs, abortsWithCaller = false } = endpoint.outside;
  const begun = await begin(dependencies, endpoint.outside, call, execution);
  if ('executed' in begun) return begun.executed;
  const { lease } = begun;
  const time = AbortSignal.timeout(limitMs);
  const stops = abortsWithCaller && idempotent === undefined;
  const signal = stops ? AbortSignal.any([time, callerGone]) : time;
  const began = performance.now();
  const attempt = async (prepared: unknown, isLast: boolean): Promise<Executed> => {
    const reached = await orRefusal(
      endpoint.outside.reach(prepared, signal, {
        em: dependencies.orm.em,
        reserve: async (bytes) => room.reserve(bytes),
        isLast,
      }),
    );
    if (lease === undefined && 'refusal' in reached) throw reached.refusal;
    const act = async (em: EntityManager): Promise<Executed> => {
      // Checked before the handler runs, so that a call that has lost its key writes nothing.
      if (lease !== undefined && !(await holdsLease(em, lease))) throw keyRunning();
      const handle = async () => {
        if ('refusal' in reached) throw reached.refusal;
        return runHandler(dependencies, endpoint, { ...call, ...reached }, execution, em);
      };
      const response: Responded = await (lease === undefined
        ? handle()
        : orStorableRefusal(em, execution.requestId, handle));
      if (lease !== undefined) {
        if (response.transient === true) await releaseKey(em, lease);
        else await storeLeasedResponse(em, dependencies.keyRing, lease, response);
      }
      return { ...response, replayed: false };
    };
    return room.within(async () => inRetriedTransaction(dependencies, act));
  };
  try {
    let { prepared } = begun;
    for (let done = 0; ; done += 1) {
      const isLast = done >= repeats.max || performance.now() - began > repeats.withinMs;
      try {
        return await attempt(prepared, isLast);
      } catch (error) {
        if (!(error instanceof StalePreparation) || isLast || signal.aborted) throw error;
        prepared = await inRetriedTransaction(dependencies, async (em) =>
          endpoint.outside.prepare(call, workOf(dependencies, em, execution)),
        );
      }
    }
  } catch (error) {
    // If the release fails as well, the lease expires. The first error is the one to report.
    if (lease !== undefined)
      await inRetriedTransaction(dependencies, (em) => releaseKey(em, lease)).catch(() => undefined);
    throw error;
  }
}

type Reached = { readonly outcome: unknown } | { readonly refusal: Error };

/** A refusal by the other server that a retry would get again counts like one by the handler. */
const orRefusal = async (reaching: Promise<unknown>): Promise<Reached> =>
  reaching.then(
    (outcome) => ({ outcome }),
    (error: unknown) => {
      if (isStorable(error)) return { refusal: error };
      throw error;
    },
  );

/** `lease` is set for calls with an Idempotency-Key. */
type Begun =
  { readonly prepared: unknown; readonly lease?: Lease | undefined } | { readonly executed: Executed };

async function begin(
  dependencies: HttpDependencies,
  steps: Steps,
  call: Call<Credentials, unknown>,
  { idempotent, requestId }: Execution,
): Promise<Begun> {
  return inRetriedTransaction<Begun>(dependencies, async (em) => {
    const prepare = async (): Promise<Begun> => ({
      prepared: await steps.prepare(call, workOf(dependencies, em, { idempotent })),
    });
    if (idempotent === undefined) return prepare();
    const claimed = await claimOrReplay(em, dependencies.keyRing, idempotent);
    if ('replayed' in claimed) return { executed: claimed };
    const begun = await orStorableRefusal(em, requestId, prepare);
    if ('body' in begun) {
      await storeResponses(em, dependencies.keyRing, [{ key: claimed, response: begun }]);
      return { executed: { ...begun, replayed: false } };
    }
    return { ...begun, lease: await leaseKey(em, claimed, steps.limitMs + leaseMarginMs) };
  });
}
