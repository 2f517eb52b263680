import { setTimeout as pause } from 'node:timers/promises';
import type { Claimed, ClaimedMessage } from './claim.ts';
import type { Destination } from './resolve.ts';
import { send, type Senders, type SentMessage } from './send.ts';

/** For `ms` the first responses wait for four fifths of those under way, or for all of a few, to be recorded together. */
const gather = { ms: 10, few: 8 } as const;

/** The requests of one turn: those under way, and the messages whose attempts have ended and are not taken yet. */
export class RequestsUnderWay {
  readonly #senders: Senders;
  #underWay = 0;
  #sent: SentMessage[] = [];
  #attempted = 0;
  #delivered = 0;
  #wake: () => void = () => undefined;

  constructor(senders: Senders) {
    this.#senders = senders;
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** Nothing is under way, and nothing is to be recorded. */
  get idle(): boolean {
    return this.#underWay === 0 && this.#sent.length === 0;
  }

  /** Attempts that have ended, and how many of them have delivered their message. */
  get counts(): { readonly attempted: number; readonly delivered: number } {
    return { attempted: this.#attempted, delivered: this.#delivered };
  }

  send({ destination, messages }: Claimed): void {
    for (const message of messages) this.#send(destination, message);
  }

  #send(destination: Destination, message: ClaimedMessage): void {
    this.#underWay += 1;
    void send(this.#senders, destination, message).then((outcome) => {
      this.#underWay -= 1;
      this.#attempted += 1;
      if (outcome.error === null) this.#delivered += 1;
      this.#sent.push({ message, outcome });
      this.#wake();
    });
  }

  /** The messages whose attempts have ended since the last call: who takes them records them. */
  take(): readonly SentMessage[] {
    const sent = this.#sent;
    this.#sent = [];
    return sent;
  }

  /** Until so many attempts have ended that recording them is worth it, or none has within `maxMs`. */
  async wait(maxMs: number): Promise<void> {
    if (this.#sent.length === 0) await this.#responses(1, maxMs);
    if (this.#sent.length === 0) return;
    const all = this.#sent.length + this.#underWay;
    await this.#responses(Math.max(all * 0.8, Math.min(all, gather.few)), gather.ms);
  }

  async #responses(min: number, maxMs: number): Promise<void> {
    const enough = this.#until(() => this.#sent.length >= min);
    await Promise.race([enough, pause(maxMs)]);
  }

  /** Until nothing is under way: an exchange has its own limit. */
  async ended(): Promise<void> {
    await this.#until(() => this.#underWay === 0);
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
