import { setTimeout as pause } from 'node:timers/promises';
import { sendWithinMs, type ClaimedBatch, type ClaimedMessage } from './claim.ts';
import type { PayloadRoom } from './payload-room.ts';
import type { Destination } from './resolve.ts';
import { send, type AttemptContext, type SentMessage } from './send.ts';

/**
 * Ended attempts are recorded in batches. They wait up to `ms` for 80 % of the requests in flight, or for all of up to
 * `few`.
 */
const gather = { ms: 10, few: 8 } as const;

/** The requests of one turn: those in flight, and ended attempts that are not recorded. */
export class RequestsInFlight {
  readonly #context: AttemptContext;
  readonly #payloads: PayloadRoom;
  #inFlight = 0;
  #sent: SentMessage[] = [];
  #attempted = 0;
  #delivered = 0;
  #wake: () => void = () => undefined;

  constructor(context: AttemptContext, payloads: PayloadRoom) {
    this.#context = context;
    this.#payloads = payloads;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** True when no request is in flight and no attempt waits to be recorded. */
  get idle(): boolean {
    return this.#inFlight === 0 && this.#sent.length === 0;
  }

  /** Numbers of ended and of successful attempts. */
  get counts(): { readonly attempted: number; readonly delivered: number } {
    return { attempted: this.#attempted, delivered: this.#delivered };
  }

  /**
   * Begins the attempts of a claim. After a stall of the process it leaves the messages until the claim ends: the endpoint
   * may have been deleted, or another worker may have sent them.
   */
  send({ destination, messages, claimedAt }: ClaimedBatch): void {
    for (const message of messages)
      if (performance.now() < claimedAt + sendWithinMs) this.#send(destination, message);
  }

  #send(destination: Destination, message: ClaimedMessage): void {
    this.#inFlight += 1;
    const request = async () => send(this.#context, destination, message);
    void this.#payloads.during(destination.tenantId, message.bytes, request).then((outcome) => {
      this.#inFlight -= 1;
      this.#attempted += 1;
      this.#context.onAttempt?.(outcome);
      if (outcome.error === null) this.#delivered += 1;
      this.#sent.push({ message, url: destination.url, outcome });
      this.#wake();
    });
  }

  /** Removes and returns the attempts that ended since the last call; the caller must record them. */
  take(): readonly SentMessage[] {
    const sent = this.#sent;
    this.#sent = [];
    return sent;
  }

  /** Waits for a batch of ended attempts, at most `maxMs` for the first. */
  async wait(maxMs: number): Promise<void> {
    if (this.#sent.length === 0) await this.#responses(1, maxMs);
    if (this.#sent.length === 0) return;
    const all = this.#sent.length + this.#inFlight;
    await this.#responses(Math.max(all * 0.8, Math.min(all, gather.few)), gather.ms);
  }

  async #responses(min: number, maxMs: number): Promise<void> {
    const enough = this.#until(() => this.#sent.length >= min);
    await Promise.race([enough, pause(maxMs)]);
  }

  /** Waits until no request is in flight: each exchange has a timeout. */
  async ended(): Promise<void> {
    await this.#until(() => this.#inFlight === 0);
  }

  async #until(reached: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        if (reached()) resolve();
      };
      this.#wake();
    });
  }
}
