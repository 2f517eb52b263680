import { sql } from 'kysely';
import { withConnectionsOfAll } from '../../platform/database/connection-shares.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { tablesOf } from '../tables.ts';
import type { CrdtBase } from './resolve-record.ts';
import type { StoredBytes } from './stored-bytes.ts';

/** Content decoded by a reader, to be saved for later readers in any process. */
export interface DecodedContent {
  readonly tenantId: string;
  readonly base: Pick<CrdtBase, 'id' | 'version' | 'stateRevision'>;
  /** The state with the log merged; null without a log. */
  readonly state: StoredBytes | null;
  /** JSON, UTF-8. */
  readonly decoded: Uint8Array;
}

/** Pause between two statements. Of several versions of a record read meanwhile, only the last is saved. */
const writeIntervalMs = 500;
/** Max bytes per statement, but at least one record. */
const maxBatchBytes = 1_048_576;
/** Content beyond this is dropped; its next reader decodes it again. */
const maxPendingBytes = 8_388_608;

const bytesOf = ({ state, decoded }: DecodedContent): number => (state?.bytes.length ?? 0) + decoded.length;

/**
 * Saves state and decoded content in the background, so that the next reader need not decode it. Best effort: a crash
 * may lose it. One per process.
 */
export class DecodedWriter {
  readonly #em: EntityManager;
  readonly #pending = new Map<string, DecodedContent>();
  #bytes = 0;
  #running = false;

  constructor(em: EntityManager) {
    this.#em = em;
  }

  add(contents: readonly DecodedContent[]): void {
    for (const content of contents) this.#add(content);
  }

  #add(content: DecodedContent): void {
    const { id } = content.base;
    this.#remove(id);
    if (this.#bytes > 0 && this.#bytes + bytesOf(content) > maxPendingBytes) return;
    this.#pending.set(id, content);
    this.#bytes += bytesOf(content);
    if (!this.#running) this.#schedule();
  }

  #remove(id: string): void {
    const content = this.#pending.get(id);
    if (content === undefined) return;
    this.#pending.delete(id);
    this.#bytes -= bytesOf(content);
  }

  #schedule(): void {
    this.#running = true;
    // Does not keep the process alive: unsaved content is decoded again. The statement serves all owners of the content.
    withConnectionsOfAll(() => setTimeout(() => void this.#writeNext(), writeIntervalMs).unref());
  }

  async #writeNext(): Promise<void> {
    // A failed batch is not retried: its next reader decodes it again.
    await saveDecoded(this.#em, this.#nextBatch()).catch(() => undefined);
    this.#running = false;
    if (this.#pending.size > 0) this.#schedule();
  }

  #nextBatch(): DecodedContent[] {
    const taken: DecodedContent[] = [];
    let bytes = 0;
    for (const [id, content] of this.#pending) {
      bytes += bytesOf(content);
      if (taken.length > 0 && bytes > maxBatchBytes) break;
      taken.push(content);
      this.#remove(id);
    }
    return taken;
  }
}

/**
 * Saves decoded content. Never overwrites a later write or a later decoded version. Commits without waiting for the
 * disk: content lost in a crash is decoded again.
 */
async function saveDecoded(em: EntityManager, contents: readonly DecodedContent[]): Promise<void> {
  const states = concatenate(contents.map(({ state }) => state?.bytes ?? null));
  const decoded = concatenate(contents.map((content) => content.decoded));
  const ids = contents.map(({ base }) => base.id);
  await sql`with sent as (
      select t.api_key_id, t.id, t.version, t.revision, t.codec, substring(${states.all}::bytea from t.state_from for t.state_bytes) as state,
        convert_from(substring(${decoded.all}::bytea from t.decoded_from for t.decoded_bytes), 'UTF8') as decoded, t.decoded_bytes,
        set_config('synchronous_commit', 'off', true) as asynchronous
      from unnest(${contents.map(({ tenantId }) => tenantId)}::bigint[], ${ids}::bigint[],
        ${contents.map(({ base }) => base.version)}::bigint[], ${contents.map(({ base }) => base.stateRevision)}::bigint[],
        ${states.from}::int[], ${states.bytes}::int[], ${decoded.from}::int[], ${decoded.bytes}::int[],
        ${contents.map(({ state }) => state?.codec ?? null)}::smallint[])
        as t (api_key_id, id, version, revision, state_from, state_bytes, decoded_from, decoded_bytes, codec)),
    present as (
      select c.id from crdt c join sent s on s.id = c.id
      where c.id = any(${ids}) and c.api_key_id = s.api_key_id and c.state_revision = s.revision and c.decoded_version < s.version
      order by c.id for no key update of c skip locked),
    saved as (
      update crdt c set state = coalesce(s.state, c.state), state_codec = coalesce(s.codec, c.state_codec),
        state_revision = c.state_revision + (s.state is not null)::int,
        decoded = s.decoded, decoded_bytes = s.decoded_bytes, decoded_version = s.version
      from sent s where s.id = c.id and s.asynchronous <> '' and c.id = any(${ids}) and c.api_key_id = s.api_key_id
        and c.id in (select id from present) returning c.id, s.version)
    delete from crdt_update u using saved k
    where u.crdt_id = any(${ids}) and u.crdt_id = k.id and u.seq <= k.version`.execute(tablesOf(em));
}

/** Concatenates buffers into one binary parameter: an array parameter would be encoded as text. */
function concatenate(parts: readonly (Uint8Array | null)[]): {
  readonly all: Buffer;
  /** The offset of each part, from 1 as in PostgreSQL; null for a null part. */
  readonly from: readonly (number | null)[];
  readonly bytes: readonly (number | null)[];
} {
  let end = 1;
  const from = parts.map((part) => {
    if (part === null) return null;
    end += part.length;
    return end - part.length;
  });
  const all = Buffer.concat(parts.filter((part) => part !== null));
  return { all, from, bytes: parts.map((part) => part?.length ?? null) };
}
