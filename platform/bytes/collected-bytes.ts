/** Smaller chunks are copied: each Buffer takes hundreds of bytes in addition to its content. */
const minKeptBytes = 4_096;

/** Sizes of the blocks that small chunks are copied to. Each is as large as all bytes before it, within these limits. */
const blockBytes = { min: 1_024, max: 65_536 } as const;

/**
 * Whether the chunk uses most of the memory that it keeps alive. A chunk keeps the whole read from the socket, and a sender
 * can make it a small part of that, for example by extensions of HTTP chunks.
 */
const pinsLittle = ({ length, buffer }: Uint8Array): boolean =>
  buffer.byteLength <= Math.max(2 * length, 2 * minKeptBytes);

/** Smaller buffers are left to the garbage collector, which costs less. */
const minFreedBytes = 16_384;

/**
 * Collects the chunks of a message in at most about three times their bytes plus 8 KiB, even if a sender divides the
 * message into chunks of one byte.
 */
export class CollectedBytes {
  readonly #parts: Buffer[] = [];
  readonly #blocks: Buffer[] = [];
  /** The unfilled rest of the last block. Its first `#used` bytes belong to no part yet. */
  #block = Buffer.alloc(0);
  #used = 0;
  #length = 0;

  /** Number of bytes. */
  get length(): number {
    return this.#length;
  }

  add(chunk: Buffer | Uint8Array): void {
    const isFirst = this.#length === 0;
    this.#length += chunk.length;
    if ((isFirst || chunk.length >= minKeptBytes) && pinsLittle(chunk)) {
      this.#closePart();
      this.#parts.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
      return;
    }
    if (this.#block.length - this.#used < chunk.length) {
      this.#closePart();
      const grown = Math.min(blockBytes.max, Math.max(blockBytes.min, this.#length));
      const bytes = Math.max(grown, chunk.length);
      this.#block = Buffer.allocUnsafeSlow(bytes);
      this.#blocks.push(this.#block);
    }
    this.#block.set(chunk, this.#used);
    this.#used += chunk.length;
  }

  /** Returns the whole message; a single chunk is not copied. */
  whole(): Buffer {
    this.#closePart();
    const [only, ...more] = this.#parts;
    return only !== undefined && more.length === 0 ? only : Buffer.concat(this.#parts);
  }

  /** Drops all bytes and frees their memory, except that of `kept`. */
  clear(kept?: Buffer): void {
    for (const part of this.#parts.splice(0)) if (part !== kept) freeBytes(part);
    for (const block of this.#blocks.splice(0)) freeBytes(block);
    this.#block = Buffer.alloc(0);
    this.#used = 0;
    this.#length = 0;
  }

  /** Turns the bytes in the block into a part; the block continues after them. */
  #closePart(): void {
    if (this.#used === 0) return;
    this.#parts.push(this.#block.subarray(0, this.#used));
    this.#block = this.#block.subarray(this.#used);
    this.#used = 0;
  }
}

/**
 * Frees the memory of a buffer that is no longer needed. The garbage collector would free it late: it counts the small
 * object, not the megabytes outside the heap.
 */
export function freeBytes(bytes: Buffer): void {
  const { buffer } = bytes;
  // Small buffers share an ArrayBuffer.
  const alone = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
  if (alone && bytes.byteLength >= minFreedBytes) buffer.transfer(0);
}
