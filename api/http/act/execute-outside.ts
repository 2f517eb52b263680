import {
  holdsLease,
  leaseKey,
  releaseKey,
  storeResponse,
  type Lease,
} from '../../../domain/idempotency/idempotency.ts';
import type { Call, Credentials, Endpoint, OutsideSteps } from '../endpoint.ts';
import {
  claimOrReplay,
  committed,
  keyRunning,
  orStorableRefusal,
  run,
  workOf,
  type Executed,
  type Execution,
  type Frame,
} from './execute.ts';

/** A lease outlasts the outside call by this many milliseconds: the time of the transaction that stores the answer. */
const leaseMarginMs = 15_000;

type Steps = OutsideSteps<Call<Credentials, unknown>, unknown, unknown>;

/**
 * Runs an endpoint that calls outside: claim and prepare, reach with no connection held, answer. `callerGone` aborts when
 * nobody reads it. A call that stalls past its lease while a later one takes its key is ABORTED: one key has one response,
 * which the retry replays.
 */
export async function executeOutside(
  frame: Frame,
  endpoint: Endpoint & { readonly outside: Steps },
  call: Call<Credentials, unknown>,
  execution: Execution,
  callerGone: AbortSignal,
): Promise<Executed> {
  const { idempotent } = execution;
  const { limitMs, abortsWithCaller = false } = endpoint.outside;
  const begun = await begin(frame, endpoint.outside, call, execution);
  if ('executed' in begun) return begun.executed;
  const { prepared, lease } = begun;
  try {
    const time = AbortSignal.timeout(limitMs);
    const stops = abortsWithCaller && idempotent === undefined;
    const signal = stops ? AbortSignal.any([time, callerGone]) : time;
    const outcome = await endpoint.outside.reach(prepared, signal);
    return await committed(frame, async (em) => {
      // Before the act, so that a call that has lost its key writes nothing beside the one that holds it.
      if (lease !== undefined && !(await holdsLease(em, lease))) throw keyRunning();
      const response = await run(frame, endpoint, Object.assign({ outcome }, call), em);
      if (lease !== undefined) {
        if (response.transient === true) await releaseKey(em, lease);
        else await storeResponse(em, frame.keyRing, lease, response);
      }
      return { ...response, replayed: false };
    });
  } catch (error) {
    // Should this fail as well, the lease ends by itself; the first error is the one to tell.
    if (lease !== undefined) await committed(frame, (em) => releaseKey(em, lease)).catch(() => undefined);
    throw error;
  }
}

/** `lease` where the call has an Idempotency-Key. */
type Begun =
  { readonly prepared: unknown; readonly lease?: Lease | undefined } | { readonly executed: Executed };

async function begin(
  frame: Frame,
  steps: Steps,
  call: Call<Credentials, unknown>,
  { idempotent, requestId }: Execution,
): Promise<Begun> {
  return committed<Begun>(frame, async (em) => {
    const prepare = async (): Promise<Begun> => ({
      prepared: await steps.prepare(call, workOf(frame, em, idempotent)),
    });
    if (idempotent === undefined) return prepare();
    const replay = await claimOrReplay(em, frame.keyRing, idempotent);
    if (replay !== undefined) return { executed: replay };
    const begun = await orStorableRefusal(em, requestId, prepare);
    if ('body' in begun) {
      await storeResponse(em, frame.keyRing, idempotent, begun);
      return { executed: { ...begun, replayed: false } };
    }
    return { ...begun, lease: await leaseKey(em, idempotent, steps.limitMs + leaseMarginMs) };
  });
}
