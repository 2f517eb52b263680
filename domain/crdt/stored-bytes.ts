import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { maxStateBytes } from './record.ts';

/** Stored in `crdt.state_codec`, so a number is never reused. */
export const codecs = { plain: 0, zstd: 1 } as const;
export type Codec = (typeof codecs)[keyof typeof codecs];

/** Yjs bytes in stored form. */
export interface StoredBytes {
  readonly bytes: Uint8Array;
  readonly codec: Codec;
}

/** Smaller states are not compressed. */
const minPackedBytes = 4_096;

/** Compresses bytes. Every write replaces the whole state, so compression to a quarter saves disk, WAL and network. */
export function pack(bytes: Uint8Array): StoredBytes {
  if (bytes.length < minPackedBytes) return plainBytes(bytes);
  const packed = zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });
  return packed.length < bytes.length ? { bytes: packed, codec: codecs.zstd } : plainBytes(bytes);
}

/** Decompresses bytes. Throws on corrupt ones. */
export function unpack({ bytes, codec }: StoredBytes): Uint8Array {
  return codec === codecs.plain
    ? bytes
    : // A large chunk avoids repeated copies of a growing buffer.
      zstdDecompressSync(bytes, { maxOutputLength: maxStateBytes, chunkSize: 131_072 });
}

export const plainBytes = (bytes: Uint8Array): StoredBytes => ({ bytes, codec: codecs.plain });
