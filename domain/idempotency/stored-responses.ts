import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { sql } from 'kysely';
import { codeOf } from '../../platform/process/error-code.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { AadContext, KeyRing } from '../../platform/encryption/key-ring.ts';
import { aborted } from '../errors.ts';
import { tablesOf } from '../tables.ts';
import { scopeNumbers } from './idempotency.entity.ts';
import { isSameRequest, type IdempotencyScope, type IdempotentRequest } from './idempotent-request.ts';
import { identity, partitionOf, type ClaimedKey } from './key-rows.ts';

/** The first response, as sent. */
export interface StoredResponse {
  /** Its kind of success or refusal, which only the sender interprets: max 32,767. */
  readonly code: number;
  readonly body: string;
}

/** Max bytes of a response that a claim reads. Larger ones are read outside of its transaction, within a budget. */
export const maxInlineBytes = 65_536;

/** The AAD context of a stored response. */
export const idempotentResponseContext = (
  { kind, ownerId }: IdempotencyScope,
  keyHash: Buffer,
): AadContext => ({
  table: 'idempotency',
  column: 'response_enc',
  row: keyHash.toString('hex'),
  tenant: `${kind}/${ownerId}`,
});

/** Undefined for a body beyond `maxInlineBytes`: repeated texts are compressed to a thousandth of their size. */
export function inlineBody(keyRing: KeyRing, key: ClaimedKey, sealed: Buffer): string | undefined {
  const compressed = keyRing.decryptBytes(sealed, contextOf(key));
  try {
    return inflateRawSync(compressed, { maxOutputLength: maxInlineBytes }).toString('utf8');
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw error;
  }
}

/**
 * Reads the body of a large stored response. Throws ABORTED when it has expired since its key was claimed. Reserve room
 * for a response of the max size before.
 */
export async function readStoredResponse(
  em: EntityManager,
  keyRing: KeyRing,
  key: ClaimedKey,
): Promise<string> {
  const found = await tablesOf(em)
    .selectFrom('idempotency')
    .select(['request_hash', 'response_enc'])
    .where((row) => row.and(identity(key)))
    .executeTakeFirst();
  const sealed = found?.response_enc ?? null;
  if (found === undefined || sealed === null || !isSameRequest(key, found.request_hash)) throw aborted();
  return inflateRawSync(keyRing.decryptBytes(sealed, contextOf(key))).toString('utf8');
}

/** A response and the key it is stored for. */
export interface KeyedResponse {
  readonly key: ClaimedKey;
  readonly response: StoredResponse;
}

/** Stores responses to calls of one owner in their transaction: a crash leaves both or neither. */
export async function storeResponses(
  em: EntityManager,
  keyRing: KeyRing,
  responses: readonly KeyedResponse[],
): Promise<void> {
  const [first] = responses;
  if (first === undefined) return;
  const { scope, slot } = first.key;
  await sql`insert into ${partitionOf(slot)} (scope, scope_id, key_hash, request_hash, http_status, response_enc)
    select ${scopeNumbers[scope.kind]}, ${scope.ownerId}, r.* from unnest(
      ${responses.map(({ key }) => key.keyHash)}::bytea[], ${responses.map(({ key }) => key.requestHash)}::bytea[],
      ${responses.map(({ response }) => response.code)}::smallint[],
      ${responses.map(({ key, response }) => sealResponse(keyRing, key, response))}::bytea[]) as r`.execute(
    tablesOf(em),
  );
}

/** The stored form of a body: compressed, then encrypted. */
export const sealResponse = (keyRing: KeyRing, key: IdempotentRequest, { body }: StoredResponse): Buffer =>
  keyRing.encrypt(deflateRawSync(Buffer.from(body, 'utf8'), { level: 1 }), contextOf(key));

const contextOf = ({ scope, keyHash }: IdempotentRequest): AadContext =>
  idempotentResponseContext(scope, keyHash);
