import { IncomingMessage } from 'node:http';
import { CollectedBytes } from '../../../platform/bytes/collected-bytes.ts';

/**
 * A request that joins the chunks of its body while nobody reads it. Node keeps an object per chunk, so 64 KiB of chunks
 * of one byte would take 7 MB per connection.
 */
export class CompactRequest extends IncomingMessage {
  readonly #joined = new CollectedBytes();
  #isDiscarded = false;

  /** Frees what has arrived of a body that nobody will read. Node reads no more of the connection for it. */
  discard(): void {
    this.#isDiscarded = true;
    this.#joined.clear();
    while (super.read() !== null);
  }

  override push(chunk: Buffer | null): boolean {
    if (this.#isDiscarded && chunk !== null) return false;
    const isWaiting = chunk !== null && this.readableFlowing !== true && this.readableLength > 0;
    if (!isWaiting) {
      this.#passOn();
      return super.push(chunk);
    }
    this.#joined.add(chunk);
    const isFull = this.readableLength + this.#joined.length >= this.readableHighWaterMark;
    // Node stops reading the connection after `false`, and goes on once a chunk that it was given is read.
    return isFull ? this.#passOn() : true;
  }

  override _read(size: number): void {
    // oxlint-disable-next-line no-underscore-dangle
    if (!this.#isDiscarded) super._read(size);
  }

  override read(size?: number): Buffer | null {
    this.#passOn();
    return super.read(size) as Buffer | null;
  }

  #passOn(): boolean {
    if (this.#joined.length === 0) return true;
    const joined = this.#joined.whole();
    this.#joined.clear(joined);
    return super.push(joined);
  }
}
