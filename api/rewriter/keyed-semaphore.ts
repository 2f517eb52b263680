/** Serves at most so many at once of each kind; the others wait in line. */
export class KeyedSemaphore {
  readonly #atOnce: number;
  readonly #maxWaiting: number;
  readonly #lines = new Map<string, Line>();

  constructor({ atOnce, maxWaiting }: { readonly atOnce: number; readonly maxWaiting: number }) {
    this.#atOnce = atOnce;
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Resolves when it is one's turn, with what ends it. Answers undefined at once when the line is too long; rejects with
   * the signal's reason when that aborts first.
   */
  async take(kind: string, signal: AbortSignal): Promise<(() => void) | undefined> {
    const line = this.#lineOf(kind);
    if (line.waiting.size >= this.#maxWaiting) return undefined;
    if (line.served < this.#atOnce) line.served += 1;
    else await inLine(line, signal);
    return () => {
      this.#leave(kind, line);
    };
  }

  #lineOf(kind: string): Line {
    const known = this.#lines.get(kind);
    if (known !== undefined) return known;
    const line: Line = { served: 0, waiting: new Set() };
    this.#lines.set(kind, line);
    return line;
  }

  #leave(kind: string, line: Line): void {
    const [next] = line.waiting;
    if (next === undefined) line.served -= 1;
    else next();
    if (line.served === 0) this.#lines.delete(kind);
  }
}

interface Line {
  served: number;
  /** In the order in which they came; each is called when it is its turn. */
  readonly waiting: Set<() => void>;
}

async function inLine({ waiting }: Line, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const called = (): void => {
      waiting.delete(called);
      signal.removeEventListener('abort', goneAway);
      resolve();
    };
    const goneAway = (): void => {
      waiting.delete(called);
      reject(signal.reason as Error);
    };
    waiting.add(called);
    signal.addEventListener('abort', goneAway, { once: true });
  });
}
