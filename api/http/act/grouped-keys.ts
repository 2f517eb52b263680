import { claimIdempotencyKeys, type Claim } from '../../../domain/idempotency/claim-keys.ts';
import type { IdempotentRequest } from '../../../domain/idempotency/idempotent-request.ts';
import type { ClaimedKey } from '../../../domain/idempotency/key-rows.ts';
import { storeResponses } from '../../../domain/idempotency/stored-responses.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import { TransportError } from '../response/transport-error.ts';
import { keyOrReplay, type Executed, type Responded } from './claimed-key.ts';

interface GroupedCall {
  readonly idempotent: IdempotentRequest | undefined;
}

/** A call that ends without running, or may run under its key if it has one. */
type Decision = { readonly ended: Executed | TransportError } | { readonly key: ClaimedKey | undefined };

/**
 * Claims the Idempotency-Keys of calls that share a transaction, runs `write` for the calls that may run, and stores
 * their responses. Returns the response or refusal of each call in the order of `calls`. Each key may occur once.
 */
export async function writeWithKeys<One extends GroupedCall>(
  em: EntityManager,
  keyRing: KeyRing,
  calls: readonly One[],
  write: (running: readonly [One, ...One[]]) => Promise<readonly Responded[]>,
): Promise<(Executed | Error)[]> {
  const requests = calls.flatMap(({ idempotent }) => idempotent ?? []);
  const claims = await claimIdempotencyKeys(em, keyRing, requests);
  const claimOf = new Map(requests.map((request, index) => [request, claims[index]]));
  const decided = calls.map((call) => ({
    call,
    decision: decisionOf(call.idempotent && claimOf.get(call.idempotent)),
  }));
  const running = decided.flatMap(({ call, decision }) =>
    'ended' in decision ? [] : [{ call, key: decision.key }],
  );
  const [first, ...others] = running.map(({ call }) => call);
  const responses = first === undefined ? [] : await write([first, ...others]);
  const keyed = running.flatMap(({ key }, index) => {
    const response = responses[index];
    return key === undefined || response === undefined || response.transient === true
      ? []
      : [{ key, response }];
  });
  await storeResponses(em, keyRing, keyed);
  const responseTo = new Map(running.map(({ call }, index) => [call, responses[index]]));
  return decided.map(({ call, decision }) => {
    if ('ended' in decision) return decision.ended;
    const response = responseTo.get(call);
    return response ? { ...response, replayed: false } : new Error('missing reply of a grouped call');
  });
}

function decisionOf(claim: Claim | undefined): Decision {
  if (claim === undefined) return { key: undefined };
  try {
    const claimed = keyOrReplay(claim);
    return 'replayed' in claimed ? { ended: claimed } : { key: claimed };
  } catch (error) {
    if (error instanceof TransportError) return { ended: error };
    throw error;
  }
}
