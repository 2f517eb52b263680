import { required } from '../../../platform/process/required.ts';
import { claimIdempotencyKeys, type Claim } from '../../../domain/idempotency/claim-keys.ts';
import type { IdempotentRequest } from '../../../domain/idempotency/idempotent-request.ts';
import type { ClaimedKey } from '../../../domain/idempotency/key-rows.ts';
import type { StoredResponse } from '../../../domain/idempotency/stored-responses.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import { httpMessages } from '../messages.ts';
import { TransportError } from '../response/transport-error.ts';

/** The response of a handler. Its `code` is the HTTP status. */
export interface Responded extends StoredResponse {
  readonly headers?: Readonly<Record<string, string>>;
  /** The response is not stored for the Idempotency-Key. */
  readonly transient?: boolean;
}

export interface Executed extends Responded {
  /** The response is a replay of an earlier one. */
  readonly replayed: boolean;
  /** The key of a replayed response that is too large to have been read with it; `body` is empty. */
  readonly unread?: ClaimedKey;
}

/** Claims the key for this transaction, or returns its stored response. Throws while another call holds the key. */
export async function claimOrReplay(
  em: EntityManager,
  keyRing: KeyRing,
  request: IdempotentRequest,
): Promise<Executed | ClaimedKey> {
  const [claim] = await claimIdempotencyKeys(em, keyRing, [request]);
  return keyOrReplay(required(claim, 'claim of an idempotency key'));
}

/** Returns the claimed key or its stored response. Throws while another call holds the key. */
export function keyOrReplay(claim: Claim): Executed | ClaimedKey {
  switch (claim.state) {
    case 'running':
      throw keyRunning();
    case 'other-request':
      throw new TransportError('INVALID_ARGUMENT', httpMessages.idempotencyKeyOtherBody, {
        httpStatus: 422,
      });
    case 'replay':
      return { ...claim.response, replayed: true };
    case 'large-replay':
      return { code: claim.code, body: '', replayed: true, unread: claim.key };
    case 'fresh':
      return claim.key;
  }
}

/** Refusal of a call whose key another call holds. */
export const keyRunning = (): TransportError =>
  new TransportError('ABORTED', httpMessages.idempotencyKeyRunning, { headers: { 'Retry-After': '1' } });
