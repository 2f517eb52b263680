import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { maxState } from './record.ts';

/** As `crdt.state_codec` numbers them; a number is never given twice. */
export const codecs = { plain: 0, zstd: 1 } as const;
export type Codec = (typeof codecs)[keyof typeof codecs];

/** Yjs bytes as the database has them. */
export interface StoredBytes {
  readonly bytes: Uint8Array;
  readonly codec: Codec;
}

/** Less is not worth it. */
const minPacked = 4_096;

/** Every write replaces the whole state: a quarter of the bytes is a quarter of what the database writes twice, reads and sends. */
export function pack(bytes: Uint8Array): StoredBytes {
  if (bytes.length < minPacked) return plainBytes(bytes);
  const packed = zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });
  return packed.length < bytes.length ? { bytes: packed, codec: codecs.zstd } : plainBytes(bytes);
}

/** Throws for what is damaged. */
export function unpack({ bytes, codec }: StoredBytes): Uint8Array {
  return codec === codecs.plain
    ? bytes
    : // As one piece: grown piece by piece, it would be copied each time.
      zstdDecompressSync(bytes, { maxOutputLength: maxState, chunkSize: 131_072 });
}

export const plainBytes = (bytes: Uint8Array): StoredBytes => ({ bytes, codec: codecs.plain });
