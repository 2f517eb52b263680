import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { nonceBytes, seal, unseal } from './seal.ts';

/** A key for encryption at rest. */
export interface EncryptionKey {
  /** 1 to 64 bytes. Every ciphertext contains it, so that keys can be rotated. */
  readonly id: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

/** The additional authenticated data (AAD) of a secret: a ciphertext copied into another row or tenant does not decrypt. */
export interface AadContext {
  readonly table: string;
  readonly column: string;
  readonly row: string;
  readonly tenant: string;
}

const version = 1;

/** Layout of a secret: version, length of the key id, key id, then the bytes of `seal`. */
export class KeyRing {
  /** Cached: creating a key object from its bytes takes ten times as long as decrypting a secret. */
  readonly #keys: ReadonlyMap<string, KeyObject>;
  readonly #first: { readonly id: string; readonly key: KeyObject };

  constructor(keys: readonly EncryptionKey[]) {
    const made = keys.map(({ id, key }) => ({ id, key: createSecretKey(key) }));
    const [first] = made;
    if (first === undefined) throw new Error('A key ring needs at least one encryption key.');
    this.#first = first;
    this.#keys = new Map(made.map(({ id, key }) => [id, key]));
  }

  get size(): number {
    return this.#keys.size;
  }

  get currentKeyId(): string {
    return this.#first.id;
  }

  encrypt(secret: string | Buffer, context: AadContext): Buffer {
    const plain = typeof secret === 'string' ? Buffer.from(secret, 'utf8') : secret;
    const sealed = seal(this.#first.key, randomBytes(nonceBytes), plain, associatedData(context));
    const id = Buffer.from(this.#first.id, 'utf8');
    return Buffer.concat([Buffer.from([version, id.length]), id, sealed]);
  }

  /** Throws when the key is not configured or the context does not match; the error contains neither secret nor key. */
  decryptBytes(sealed: Buffer, context: AadContext): Buffer {
    const id = keyIdOf(sealed);
    const key = this.#keys.get(id);
    if (key === undefined)
      throw new Error(
        `No encryption key with the id "${id}" is configured (${context.table}.${context.column}). ` +
          'Add it to STEWARD_ENCRYPTION_KEYS, after the first.',
      );
    return unseal(key, sealed.subarray(2 + Buffer.byteLength(id)), associatedData(context));
  }

  decrypt(sealed: Buffer, context: AadContext): string {
    return this.decryptBytes(sealed, context).toString('utf8');
  }
}

/** The id of the key that encrypted a secret. */
export function keyIdOf(sealed: Buffer): string {
  const length = sealed[1];
  if (sealed[0] !== version || length === undefined) throw new Error('Not a sealed secret.');
  return sealed.subarray(2, 2 + length).toString('utf8');
}

/** Prefixes each value with its length, so that no two contexts have the same bytes. */
function associatedData({ table, column, row, tenant }: AadContext): Buffer {
  return Buffer.from(
    [table, column, row, tenant].map((part) => `${String(Buffer.byteLength(part))}:${part}`).join(''),
  );
}
