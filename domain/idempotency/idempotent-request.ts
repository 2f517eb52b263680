import { createHash, createHmac } from 'node:crypto';
import { sortedMembers } from '../../platform/json/canonical-hash.ts';
import { writeJson } from '../../platform/json/write-json.ts';
import { inTurns } from '../../platform/process/in-turns.ts';

/** The owner of a key; each owner has its own keys. */
export interface IdempotencyScope {
  readonly kind: 'operator' | 'workspace' | 'apiKey';
  /** The owner's surrogate key; 0 for STEWARD_OPERATOR_TOKEN. */
  readonly ownerId: string;
}

export interface IdempotentRequest {
  readonly scope: IdempotencyScope;
  readonly keyHash: Buffer;
  /** HMAC-SHA256 with a deployment secret: a copy of the database does not reveal whether a guessed request was sent. */
  readonly requestHash: Buffer;
  /** The hash that version 0.1 stored: its rows are replayed until they are 24 hours old. */
  readonly formerRequestHash?: Buffer;
}

/** `secret` is the deployment's `idempotency` secret. The hash depends on data, key and owner. */
export async function idempotentRequest(
  secret: Buffer,
  scope: IdempotencyScope,
  { path, key, data }: { readonly path: string; readonly key: string; readonly data: unknown },
): Promise<IdempotentRequest> {
  const keyHash = createHash('sha256').update(`${path}\0${key}`).digest();
  const keyed = createHmac('sha256', secret).update(`${scope.kind}/${scope.ownerId}/`).update(keyHash);
  const former = createHash('sha256');
  const take = (text: string): void => {
    keyed.update(text);
    former.update(text);
  };
  await inTurns(writeJson(data, take, sortedMembers));
  return {
    scope,
    keyHash,
    requestHash: keyed.digest(),
    formerRequestHash: former.digest(),
  };
}

/** Identifies repeated calls: the same key, data and owner. */
export const callHash = ({ keyHash, requestHash }: IdempotentRequest): Buffer =>
  createHash('sha256').update(keyHash).update(requestHash).digest();

/** Whether a stored hash is that of the request. */
export function isSameRequest(
  { requestHash, formerRequestHash }: IdempotentRequest,
  stored: Buffer,
): boolean {
  return stored.equals(requestHash) || formerRequestHash?.equals(stored) === true;
}
