import { createHash, createHmac } from 'node:crypto';
import { writeJson, type Members } from '../../platform/json/write-json.ts';
import { inTurns, type Pausable } from '../../platform/process/in-turns.ts';
import { sortedInTurns } from '../../platform/process/sorted-in-turns.ts';

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

/** Sorts members, so that their order does not matter. Numeric names come first, as in every object. */
function* sortedMembers(map: object): Pausable<Members> {
  const names = Object.keys(map);
  const firstText = names.findIndex((name) => !isArrayIndex(name));
  const numbers = firstText === -1 ? names : names.slice(0, firstText);
  const sorted = numbers.concat(yield* sortedInTurns(names.slice(numbers.length)));
  return sorted.map((name) => [name, (map as Readonly<Record<string, unknown>>)[name]]);
}

/** Whether objects list a name among their first ones, in numeric order. */
const isArrayIndex = (name: string): boolean =>
  Number(name) < 2 ** 32 - 1 && String(Number(name) >>> 0) === name;

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
