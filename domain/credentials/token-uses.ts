import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { changedBy } from '../../platform/database/statements.ts';

/** Tokens per statement; the statement is then sent early. */
const maxTokens = 1_000;

/**
 * Records the hour in which auth tokens were last used: one statement per interval for all tokens, and one row version
 * per token and hour. A crash loses the uses of one interval; the next use in that hour records them.
 */
export class TokenUses {
  readonly #em: () => EntityManager;
  readonly #intervalMs: number;
  #used = new Map<string, Buffer>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(em: () => EntityManager, intervalMs: number) {
    this.#em = em;
    this.#intervalMs = intervalMs;
  }

  /** Adds the hash of a token whose use in this hour is not recorded yet. */
  add(tokenHash: Buffer): void {
    this.#used.set(tokenHash.toString('hex'), tokenHash);
    if (this.#used.size >= maxTokens) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), this.#intervalMs).unref();
  }

  /** Never rejects: a use that is not written is recorded by the next one. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const hashes = [...this.#used.values()];
    this.#used = new Map();
    if (hashes.length > 0)
      this.#writing = this.#writing.then(() => this.#write(hashes)).catch(() => undefined);
    return this.#writing;
  }

  async #write(hashes: readonly Buffer[]): Promise<void> {
    // Skips tokens that another process is recording, so that two processes never wait for each other.
    await changedBy(
      this.#em(),
      sql`update auth_token set last_used_at = date_trunc('hour', now(), 'UTC') where token_hash = any(array(
        select token_hash from auth_token where token_hash = any(${hashes}::bytea[])
          and (last_used_at is null or last_used_at < date_trunc('hour', now(), 'UTC'))
        for no key update skip locked))`,
    );
  }
}
