import { randomBytes } from 'node:crypto';

/** Creates random ids, except for a span whose id is known. */
export class SpanIds {
  #next: string | undefined;

  /** Assigns the id to the span that `start` starts. */
  withSpanId<Span>(spanId: string, start: () => Span): Span {
    this.#next = spanId;
    try {
      return start();
    } finally {
      this.#next = undefined;
    }
  }

  generateTraceId(): string {
    return randomBytes(16).toString('hex');
  }

  generateSpanId(): string {
    return this.#next ?? randomBytes(8).toString('hex');
  }
}
