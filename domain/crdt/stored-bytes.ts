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

/** Magic number, descriptor, window, dictionary and length of the content. */
const maxFrameHeaderBytes = 18;

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

/**
 * Returns the length of bytes when unpacked; Infinity where a compressed frame does not tell it. The first bytes of a
 * frame are described in RFC 8878, section 3.1.1.
 */
export function unpackedLength({ bytes, codec }: StoredBytes): number {
  if (codec === codecs.plain) return bytes.length;
  const frame = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, maxFrameHeaderBytes));
  const descriptor = frame[4] ?? 0;
  const isSingleSegment = (descriptor & 0b10_0000) !== 0;
  const windowBytes = isSingleSegment ? 0 : 1;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 0b11] ?? 0;
  const at = 5 + windowBytes + dictionaryBytes;
  switch (descriptor >> 6) {
    case 0:
      return isSingleSegment ? frame.readUInt8(at) : Infinity;
    case 1:
      return frame.readUInt16LE(at) + 256;
    case 2:
      return frame.readUInt32LE(at);
    default:
      return Number(frame.readBigUInt64LE(at));
  }
}

export const plainBytes = (bytes: Uint8Array): StoredBytes => ({ bytes, codec: codecs.plain });
