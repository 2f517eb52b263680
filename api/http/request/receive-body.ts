import type { IncomingMessage } from 'node:http';
import { frameMessages } from '../messages.ts';
import type { BodyCharge } from './body-budget.ts';
import { TransportError } from '../response/transport-error.ts';

const mebibyte = 1_048_576;

/** Freeing less by hand costs more than it saves. */
const freedBytes = 16_384;

/** How a body is received. */
export interface Reception {
  /** MiB. */
  readonly limit: number;
  /** On the clock of `performance.now()`: when the whole body must have arrived. */
  readonly deadline: number;
  /** What `deadline` leaves from the head on, for the text of a refusal. */
  readonly withinMs: number;
  /** Who pays for the memory. Without one the bytes are counted and thrown away. */
  readonly charge?: BodyCharge | undefined;
}

/** Announced by Content-Length; undefined for a chunked body. 413 for one beyond the limit (MiB). */
export function declaredBytes({ headers }: IncomingMessage, limit: number): number | undefined {
  const length = headers['content-length'];
  if (length === undefined) return headers['transfer-encoding'] === undefined ? 0 : undefined;
  if (Number(length) > limit * mebibyte) throw tooLarge(limit);
  return Number(length);
}

/** The body follows only after `100 Continue`. */
export function expectsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.expect !== undefined && httpVersion === '1.1';
}

/**
 * The bytes of the body, charged as they arrive. Throws 413 beyond the limit, 408 at the deadline, UNAVAILABLE without
 * room, and what `failBody` says. What has not been read by then stays unread.
 */
export async function receiveBody(request: IncomingMessage, reception: Reception): Promise<Buffer> {
  const limitBytes = reception.limit * mebibyte;
  if (request.complete) {
    // All of it came with the head or while the caller was authenticated: no event needs to be waited for.
    if (request.readableLength > limitBytes) throw tooLarge(reception.limit);
    if (request.readableLength === 0) return Buffer.alloc(0);
    await reception.charge?.take(request.readableLength, 0);
    return request.read() as Buffer;
  }
  const early = faults.get(request);
  if (early !== undefined) throw early;
  if (request.destroyed) throw callerGone();
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

/** Ends the reception of a body that can no longer be read, now or when it begins. */
export function failBody(request: IncomingMessage, error: Error): void {
  faults.set(request, error);
  receiving.get(request)?.end(error);
}

/** A body on its way: what was read of it, until its end or its refusal. */
class IncomingBody {
  readonly #request: IncomingMessage;
  readonly #reception: Reception;
  readonly #limitBytes: number;
  readonly #done: (outcome: Buffer | Error) => void;
  readonly #declared: number | undefined;
  readonly #chunks: Buffer[] = [];
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
    this.#declared = declaredBytes(request, reception.limit);
  }

  start(): void {
    const { deadline, withinMs } = this.#reception;
    this.#deadline = setTimeout(() => this.end(tooSlow(withinMs)), Math.max(0, deadline - performance.now()));
    this.#request
      .on('data', this.#take)
      .once('end', this.#whole)
      .once('error', this.#gone)
      .once('close', this.#gone);
  }

  /** Nothing is kept of a body that is not whole; what is unread stays with the connection. */
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
    for (const chunk of this.#chunks.splice(0)) if (chunk !== outcome) freeBody(chunk);
    this.#done(outcome);
  }

  readonly #take = (chunk: Buffer): void => {
    this.#received += chunk.length;
    if (this.#received > this.#limitBytes) return this.end(tooLarge(this.#reception.limit));
    const { charge } = this.#reception;
    if (charge === undefined) return;
    this.#chunks.push(chunk);
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
    const [only, ...more] = this.#chunks;
    this.end(only !== undefined && more.length === 0 ? only : Buffer.concat(this.#chunks));
  };

  readonly #gone = (): void => this.end(callerGone());
}

/**
 * Frees the memory of a body that nobody reads any more. The garbage collector would do so late: it sees a small object,
 * and not the megabytes outside its heap.
 */
export function freeBody(body: Buffer): void {
  const { buffer } = body;
  // Small buffers share one with others.
  const alone = buffer instanceof ArrayBuffer && buffer.byteLength === body.byteLength;
  if (alone && body.byteLength >= freedBytes) buffer.transfer(0);
}

function tooLarge(limit: number): TransportError {
  return new TransportError('INVALID_ARGUMENT', frameMessages.bodyTooLarge(limit), { httpStatus: 413 });
}

function tooSlow(withinMs: number): TransportError {
  return new TransportError('DEADLINE_EXCEEDED', frameMessages.bodyTooSlow(Math.ceil(withinMs / 1_000)), {
    httpStatus: 408,
  });
}

const callerGone = (): TransportError => new TransportError('CANCELLED', 'The caller went away.');
