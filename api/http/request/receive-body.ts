import type { IncomingMessage } from 'node:http';
import { mebibyte } from '../../../platform/units.ts';
import { CollectedBytes } from '../../../platform/bytes/collected-bytes.ts';
import { httpMessages } from '../messages.ts';
import { callerClosed, TransportError } from '../response/transport-error.ts';
import type { BodyCharge } from './body-budget.ts';

/** Limits and charge for receiving a body. */
export interface Reception {
  readonly maxMebibytes: number;
  /** Time by which the whole body must arrive, by `performance.now()`. */
  readonly deadline: number;
  /** Time from the head to `deadline`, for the text of a refusal. */
  readonly withinMs: number;
  /** Thrown at `deadline`. Default: 408. */
  readonly late?: Error;
  /** The charge for the memory. Without one the bytes are counted and discarded. */
  readonly charge?: BodyCharge | undefined;
}

/** Returns the Content-Length, or undefined for a chunked body. Throws 413 beyond the limit. */
export function declaredBytes({ headers }: IncomingMessage, maxMebibytes: number): number | undefined {
  const length = headers['content-length'];
  if (length === undefined) return headers['transfer-encoding'] === undefined ? 0 : undefined;
  if (Number(length) > maxMebibytes * mebibyte) throw tooLarge(maxMebibytes);
  return Number(length);
}

/** Returns whether the caller sends the body only after `100 Continue`. */
export function expectsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.expect !== undefined && httpVersion === '1.1';
}

/**
 * Receives the body and charges its bytes as they arrive. Throws 413 beyond the limit, 408 at the deadline, UNAVAILABLE
 * without room in the budget, and the error of `failBody`. Leaves the rest of a failed body unread.
 */
export async function receiveBody(request: IncomingMessage, reception: Reception): Promise<Buffer> {
  const limitBytes = reception.maxMebibytes * mebibyte;
  if (request.complete) {
    // The whole body has arrived already, so there is no event to wait for.
    if (request.readableLength > limitBytes) throw tooLarge(reception.maxMebibytes);
    if (request.readableLength === 0) return Buffer.alloc(0);
    await reception.charge?.take(request.readableLength, 0);
    return request.read() as Buffer;
  }
  const early = faults.get(request);
  if (early !== undefined) throw early;
  if (request.destroyed) throw callerClosed();
  return new Promise((resolve, reject) => {
    const body = new IncomingBody(request, reception, limitBytes, (outcome) => {
      receiving.delete(request);
      if (Buffer.isBuffer(outcome)) resolve(outcome);
      else reject(outcome);
    });
    receiving.set(request, body);
    body.start();
  });
}

const receiving = new WeakMap<IncomingMessage, IncomingBody>();
const faults = new WeakMap<IncomingMessage, Error>();

/** Fails the reception of a body that can no longer be read, now or when it begins. */
export function failBody(request: IncomingMessage, error: Error): void {
  faults.set(request, error);
  receiving.get(request)?.end(error);
}

/** A body while it arrives. */
class IncomingBody {
  readonly #request: IncomingMessage;
  readonly #reception: Reception;
  readonly #limitBytes: number;
  readonly #done: (outcome: Buffer | Error) => void;
  readonly #declared: number | undefined;
  readonly #bytes = new CollectedBytes();
  #received = 0;
  #ended = false;
  #deadline: NodeJS.Timeout | undefined;

  constructor(
    request: IncomingMessage,
    reception: Reception,
    limitBytes: number,
    done: (outcome: Buffer | Error) => void,
  ) {
    this.#request = request;
    this.#reception = reception;
    this.#limitBytes = limitBytes;
    this.#done = done;
    this.#declared = declaredBytes(request, reception.maxMebibytes);
  }

  start(): void {
    const { deadline, withinMs, late = tooSlow(withinMs) } = this.#reception;
    this.#deadline = setTimeout(() => this.end(late), Math.max(0, deadline - performance.now()));
    this.#request
      .on('data', this.#take)
      .once('end', this.#whole)
      .once('error', this.#gone)
      .once('close', this.#gone);
  }

  /** Ends the reception. Frees all chunks of an incomplete body and leaves the rest unread. */
  end(outcome: Buffer | Error): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#deadline);
    this.#request
      .pause()
      .off('data', this.#take)
      .off('end', this.#whole)
      .off('error', this.#gone)
      .off('close', this.#gone);
    this.#bytes.clear(Buffer.isBuffer(outcome) ? outcome : undefined);
    this.#done(outcome);
  }

  readonly #take = (chunk: Buffer): void => {
    this.#received += chunk.length;
    if (this.#received > this.#limitBytes) return this.end(tooLarge(this.#reception.maxMebibytes));
    const { charge } = this.#reception;
    if (charge === undefined) return;
    this.#bytes.add(chunk);
    try {
      const room = charge.take(chunk.length, (this.#declared ?? this.#limitBytes) - this.#received);
      if (room === undefined) return;
      this.#request.pause();
      room.then(
        () => void (this.#ended || this.#request.resume()),
        (error: Error) => this.end(error),
      );
    } catch (error) {
      this.end(error as Error);
    }
  };

  readonly #whole = (): void => {
    this.#reception.charge?.complete();
    this.end(this.#bytes.whole());
  };

  readonly #gone = (): void => this.end(callerClosed());
}

function tooLarge(maxMebibytes: number): TransportError {
  return new TransportError('INVALID_ARGUMENT', httpMessages.bodyTooLarge(maxMebibytes), {
    httpStatus: 413,
  });
}

function tooSlow(withinMs: number): TransportError {
  return new TransportError('DEADLINE_EXCEEDED', httpMessages.bodyTooSlow(Math.ceil(withinMs / 1_000)), {
    httpStatus: 408,
  });
}
