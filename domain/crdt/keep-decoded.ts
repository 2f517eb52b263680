import { sql } from 'kysely';
import { tablesOf } from '../tables.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { CrdtBase } from './resolve-record.ts';
import type { StoredBytes } from './stored-bytes.ts';

/** What a reader decoded: worth keeping for those who read the same later, here or in another process. */
export interface DecodedContent {
  readonly tenantId: string;
  readonly base: Pick<CrdtBase, 'id' | 'version' | 'stateRevision'>;
  /** With the log in it; null where there was none. */
  readonly state: StoredBytes | null;
  /** JSON in UTF-8. */
  readonly decoded: Uint8Array;
}

/**
 * Milliseconds between two statements. Who reads what others write meanwhile decodes it each time: of all that is read in
 * this time only the last version is kept.
 */
const pause = 500;
/** Bytes that one statement keeps; one record at least. */
const maxAtOnce = 1_048_576;
/** Bytes that wait; what comes beyond is decoded again by its next reader. */
const maxWaiting = 33_554_432;

const bytesOf = ({ state, decoded }: DecodedContent): number => (state?.bytes.length ?? 0) + decoded.length;

/**
 * Keeps state and decoded content in a moment, so that the next reader need not decode it: nobody waits for it, and it may be
 * lost. One a process, by record.
 */
export class DecodedKeeper {
  readonly #em: EntityManager;
  readonly #waiting = new Map<string, DecodedContent>();
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
    if (this.#bytes > 0 && this.#bytes + bytesOf(content) > maxWaiting) return;
    this.#waiting.set(id, content);
    this.#bytes += bytesOf(content);
    if (!this.#running) this.#later();
  }

  #remove(id: string): void {
    const content = this.#waiting.get(id);
    if (content === undefined) return;
    this.#waiting.delete(id);
    this.#bytes -= bytesOf(content);
  }

  #later(): void {
    this.#running = true;
    // Keeps no process alive: what it does not get to do is decoded again.
    setTimeout(() => void this.#keepSome(), pause).unref();
  }

  async #keepSome(): Promise<void> {
    // One that fails is not tried again: its next reader decodes it, and brings it here.
    await keep(this.#em, this.#take()).catch(() => undefined);
    this.#running = false;
    if (this.#waiting.size > 0) this.#later();
  }

  #take(): DecodedContent[] {
    const taken: DecodedContent[] = [];
    let bytes = 0;
    for (const [id, content] of this.#waiting) {
      bytes += bytesOf(content);
      if (taken.length > 0 && bytes > maxAtOnce) break;
      taken.push(content);
      this.#remove(id);
    }
    return taken;
  }
}

/**
 * Where a writer was faster, what it wrote stays; what was kept of a later version, too. The disk is not waited for: what a
 * dying database forgets of it is decoded once more.
 */
async function keep(em: EntityManager, contents: readonly DecodedContent[]): Promise<void> {
  const states = endToEnd(contents.map(({ state }) => state?.bytes ?? null));
  const decoded = endToEnd(contents.map((content) => content.decoded));
  const ids = contents.map(({ base }) => base.id);
  await sql`with sent as (
      select t.api_key_id, t.id, t.version, t.revision, t.codec, substring(${states.all}::bytea from t.state_from for t.state_bytes) as state,
        convert_from(substring(${decoded.all}::bytea from t.decoded_from for t.decoded_bytes), 'UTF8') as decoded, t.decoded_bytes,
        set_config('synchronous_commit', 'off', true) as unhurried
      from unnest(${contents.map(({ tenantId }) => tenantId)}::bigint[], ${ids}::bigint[],
        ${contents.map(({ base }) => base.version)}::bigint[], ${contents.map(({ base }) => base.stateRevision)}::bigint[],
        ${states.from}::int[], ${states.bytes}::int[], ${decoded.from}::int[], ${decoded.bytes}::int[],
        ${contents.map(({ state }) => state?.codec ?? null)}::smallint[])
        as t (api_key_id, id, version, revision, state_from, state_bytes, decoded_from, decoded_bytes, codec)),
    present as (
      select c.id from crdt c join sent s on s.id = c.id
      where c.id = any(${ids}) and c.api_key_id = s.api_key_id and c.state_revision = s.revision and c.decoded_version < s.version
      order by c.id for no key update of c skip locked),
    kept as (
      update crdt c set state = coalesce(s.state, c.state), state_codec = coalesce(s.codec, c.state_codec),
        state_revision = c.state_revision + (s.state is not null)::int,
        decoded = s.decoded, decoded_bytes = s.decoded_bytes, decoded_version = s.version
      from sent s where s.id = c.id and s.unhurried <> '' and c.id = any(${ids}) and c.api_key_id = s.api_key_id
        and c.id in (select id from present) returning c.id, s.version)
    delete from crdt_update u using kept k
    where u.crdt_id = any(${ids}) and u.crdt_id = k.id and u.seq <= k.version`.execute(tablesOf(em));
}

/** Bytes as one parameter, which is sent as it is: in a list each would be written out as text. */
function endToEnd(parts: readonly (Uint8Array | null)[]): {
  readonly all: Buffer;
  /** Of each part, counted from 1 as PostgreSQL does; null where there is none. */
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
