import type { AadContext, KeyRing } from '../../../platform/encryption/key-ring.ts';
import type { LogFile, RecordLog } from '../../../platform/journal/record-log.ts';
import { parseEntry, type DeletionEntry } from './deletion-entry.ts';

const entryContext: AadContext = { table: 'deletion_journal', column: 'entry', row: '', tenant: '' };

/** The journal cannot be read or written. */
export class JournalUnavailable extends Error {
  override readonly name = 'JournalUnavailable';
  /** The system error code, for example ENOSPC. */
  readonly reason: string;

  constructor(reason: string) {
    super(
      `The deletion journal is unavailable (${reason}). ` +
        'Mount its volume at STEWARD_DELETION_JOURNAL, give this user access, or make room.',
    );
    this.reason = reason;
  }
}

/** A record of a file. `end` is the position of the next record; a `torn` one is an incomplete append at the end. */
export type JournalRecord =
  | { readonly state: 'entry'; readonly entry: DeletionEntry; readonly end: number }
  /** Damaged, or encrypted with a key that is not configured. */
  | { readonly state: 'unreadable'; readonly end: number }
  | { readonly state: 'torn'; readonly end: number };

/** The deletions that have completed, encrypted, outside the database. Entries are appended and never changed. */
export class DeletionJournal {
  readonly #log: RecordLog;
  readonly #keyRing: KeyRing;

  constructor(log: RecordLog, keyRing: KeyRing) {
    this.#log = log;
    this.#keyRing = keyRing;
  }

  /** Resolves once the entry is durable. Throws JournalUnavailable. */
  async append(entry: DeletionEntry): Promise<void> {
    const sealed = this.#keyRing.encrypt(JSON.stringify(entry), entryContext);
    await available(async () => this.#log.append(sealed));
  }

  /** Lists the files, the oldest first. Throws JournalUnavailable. */
  files = async (): Promise<readonly LogFile[]> => available(async () => this.#log.files());

  /** Reads the records of a file from a position. Throws JournalUnavailable. */
  async *read(file: string, from: number): AsyncGenerator<JournalRecord, void> {
    const records = this.#log.read(file, from)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await available(async () => records.next());
        if (done === true) return;
        const { state, end } = value;
        if (state !== 'whole') yield { state: state === 'torn' ? 'torn' : 'unreadable', end };
        else yield this.#opened(value.content, end);
      }
    } finally {
      // Closes the file for a caller that stops reading before its end.
      await records.return?.();
    }
  }

  /** Whether no record follows a position of a file: nothing, or an incomplete append. Throws JournalUnavailable. */
  async endsAt({ name, bytes }: LogFile, position: number): Promise<boolean> {
    if (position >= bytes) return true;
    for await (const { state } of this.read(name, position)) return state === 'torn';
    return true;
  }

  #opened(sealed: Buffer, end: number): JournalRecord {
    try {
      return { state: 'entry', entry: parseEntry(this.#keyRing.decrypt(sealed, entryContext)), end };
    } catch {
      return { state: 'unreadable', end };
    }
  }

  /** Removes a file. Throws JournalUnavailable. */
  remove = async (file: string): Promise<void> => available(async () => this.#log.remove(file));

  /** Throws JournalUnavailable when no entry could be appended now. */
  checkWritable = async (): Promise<void> => available(async () => this.#log.checkWritable());

  close = async (): Promise<void> => this.#log.close();
}

async function available<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    throw new JournalUnavailable(typeof code === 'string' ? code : 'unknown');
  }
}
