import type { EncryptionKey } from '../../encryption/key-ring.ts';
import { items, type Parser } from './parser.ts';

const encryptionKeyBytes = 32;

/** `id:base64(32 bytes)`, comma separated, ids unique. The first key encrypts; all keys decrypt. */
export const encryptionKeys: Parser<readonly EncryptionKey[]> = {
  may: 'id:base64 of 32 bytes, comma separated, each id once',
  parse: (text) => {
    const keys = items(text).map(encryptionKey);
    const good = keys.filter((key) => key !== undefined);
    const once = new Set(good.map(({ id }) => id)).size === keys.length;
    return once && keys.length > 0 ? good : undefined;
  },
};

function encryptionKey(text: string): EncryptionKey | undefined {
  const [, id, encoded] = /^([\w.-]{1,64}):([A-Za-z0-9+/_-]+={0,2})$/.exec(text) ?? [];
  if (id === undefined || encoded === undefined) return undefined;
  const key = Buffer.from(encoded, 'base64');
  return key.length === encryptionKeyBytes ? { id, key } : undefined;
}
