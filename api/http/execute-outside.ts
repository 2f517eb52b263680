import { leaseKey, releaseKey, storeAnswer } from '../../domain/idempotency/idempotency.ts';
import type { Call, Credentials, Endpoint, OutsideSteps } from './endpoint.ts';
import {
  claimOrReplay,
  committed,
  orStorableRefusal,
  run,
  workOf,
  type Executed,
  type Execution,
  type Frame,
} from './execute.ts';

/** A lease outlasts the outside call by this many milliseconds: the time of the transaction that stores the answer. */
const leaseMargin = 15_000;

type Steps = OutsideSteps<Call<Credentials, unknown>, unknown, unknown>;

/** Runs an endpoint that calls outside: claim and prepare, reach with no connection held, answer. `callerGone` aborts when nobody reads it. */
export async function executeOutside(
  frame: Frame,
  endpoint: Endpoint & { readonly outside: Steps },
  call: Call<Credentials, unknown>,
  execution: Execution,
  callerGone: AbortSignal,
): Promise<Executed> {
  const { idempotent } = execution;
  const { limit, stopsWithCaller = false } = endpoint.outside;
  const begun = await begin(frame, endpoint.outside, call, execution);
  if ('executed' in begun) return begun.executed;
  try {
    const time = AbortSignal.timeout(limit);
    const stops = stopsWithCaller && idempotent === undefined;
    const signal = stops ? AbortSignal.any([time, callerGone]) : time;
    const outcome = await endpoint.outside.reach(begun.prepared, signal);
    return await committed(frame, async (em, after) => {
      const answer = await run(frame, endpoint, Object.assign({ outcome }, call), em, after);
      if (idempotent !== undefined) {
        if (answer.passing === true) await releaseKey(em, idempotent);
        else await storeAnswer(em, frame.keyRing, idempotent, answer);
      }
      return { ...answer, replayed: false };
    });
  } catch (error) {
    // Should this fail as well, the lease ends by itself; the first error is the one to tell.
    if (idempotent !== undefined)
      await committed(frame, (em) => releaseKey(em, idempotent)).catch(() => undefined);
    throw error;
  }
}

type Begun = { readonly prepared: unknown } | { readonly executed: Executed };

async function begin(
  frame: Frame,
  steps: Steps,
  call: Call<Credentials, unknown>,
  { idempotent, requestId }: Execution,
): Promise<Begun> {
  return committed<Begun>(frame, async (em, after) => {
    const prepare = async (): Promise<Begun> => ({
      prepared: await steps.prepare(call, workOf(frame, em, after, idempotent)),
    });
    if (idempotent === undefined) return prepare();
    const replay = await claimOrReplay(em, frame.keyRing, idempotent);
    if (replay !== undefined) return { executed: replay };
    const begun = await orStorableRefusal(em, requestId, after, prepare);
    if ('body' in begun) {
      await storeAnswer(em, frame.keyRing, idempotent, begun);
      return { executed: { ...begun, replayed: false } };
    }
    await leaseKey(em, idempotent, steps.limit + leaseMargin);
    return begun;
  });
}
