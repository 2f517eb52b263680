import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../process/error-code.ts';
import { dayMs, mebibyte } from '../units.ts';
import { lineOf, maxLineBytes, recordOf } from './record-line.ts';
import type { LogFile, LogRecord, RecordLog } from './record-log.ts';

/** A file is closed beyond either limit, so that whole files can be removed by age. */
export interface RotationLimits {
  readonly bytes: number;
  readonly ageMs: number;
}

const defaultLimits: RotationLimits = { bytes: 16 * mebibyte, ageMs: dayMs };

const extension = '.journal';

/** Bytes that a check writes: more than a usual record. */
const checkBytes = 65_536;

interface OpenFile {
  readonly handle: FileHandle;
  readonly path: string;
  readonly openedAt: number;
}

/**
 * A log in a folder. Each process appends to its own files, so processes on several machines need no lock. Never
 * creates the folder: a volume that is not mounted must fail, not be replaced by an empty folder.
 */
export class RecordFiles implements RecordLog {
  readonly #folder: string;
  readonly #limits: RotationLimits;
  #file: OpenFile | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(folder: string, limits: RotationLimits = defaultLimits) {
    this.#folder = folder;
    this.#limits = limits;
  }

  async append(record: Buffer): Promise<void> {
    const line = lineOf(record);
    const written = this.#last.then(async () => this.#write(line));
    this.#last = written.catch(() => undefined);
    await written;
  }

  async #write(line: Buffer): Promise<void> {
    const { handle, path } = await this.#current();
    const { size } = await handle.stat();
    try {
      await handle.appendFile(line);
      await handle.datasync();
    } catch (error) {
      // A torn record is only tolerated as the last of its file. After a failed sync the file's content is unknown.
      await handle.truncate(size).catch(() => undefined);
      await this.#closeFile();
      if (size === 0) await rm(path, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  /** Returns the open file, or opens another one when it is full, old, or no longer in the folder. */
  async #current(): Promise<OpenFile> {
    const file = this.#file;
    if (file !== undefined && (await this.#isUsable(file))) return file;
    await this.#closeFile();
    const path = join(this.#folder, newName());
    const handle = await open(path, 'ax', 0o600);
    const opened = { handle, path, openedAt: Date.now() };
    try {
      // Before the first append: a record in a file whose name a crash removes is lost.
      await syncFolder(this.#folder);
    } catch (error) {
      await handle.close().catch(() => undefined);
      await rm(path, { force: true }).catch(() => undefined);
      throw error;
    }
    this.#file = opened;
    return opened;
  }

  async #isUsable({ handle, path, openedAt }: OpenFile): Promise<boolean> {
    const [own, named] = await Promise.all([handle.stat(), stat(path).catch(() => undefined)]);
    const inPlace = named?.ino === own.ino && named.dev === own.dev;
    return inPlace && own.size < this.#limits.bytes && Date.now() - openedAt < this.#limits.ageMs;
  }

  async #closeFile(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.handle.close().catch(() => undefined);
  }

  async files(): Promise<readonly LogFile[]> {
    const names = (await readdir(this.#folder)).filter((name) => name.endsWith(extension)).toSorted();
    const files: LogFile[] = [];
    for (const name of names) {
      const found = await stat(join(this.#folder, name)).catch(undefinedIfRemoved);
      if (found !== undefined) files.push({ name, bytes: found.size, modifiedAt: found.mtime });
    }
    return files;
  }

  async *read(file: string, from: number): AsyncGenerator<LogRecord, void> {
    let start = from;
    let parts: Buffer[] = [];
    let length = 0;
    for await (const chunk of createReadStream(join(this.#folder, file), { start: from })) {
      let rest = chunk as Buffer;
      for (let end = rest.indexOf(0x0a); end !== -1; end = rest.indexOf(0x0a)) {
        const line = Buffer.concat([...parts, rest.subarray(0, end)]);
        start += length + end + 1;
        yield recordAt(line, start);
        [parts, length, rest] = [[], 0, rest.subarray(end + 1)];
      }
      length += rest.length;
      // A longer line is damaged: keep its length only.
      parts = length > maxLineBytes ? [] : [...parts, rest];
    }
    if (length > 0) yield { state: 'torn', end: start };
  }

  async remove(file: string): Promise<void> {
    await rm(join(this.#folder, file), { force: true });
    await syncFolder(this.#folder);
  }

  async checkWritable(): Promise<void> {
    const path = join(this.#folder, `.writable-${randomBytes(6).toString('hex')}`);
    const handle = await open(path, 'ax', 0o600);
    try {
      await handle.writeFile(Buffer.alloc(checkBytes));
      await handle.datasync();
    } finally {
      await handle.close();
      await rm(path, { force: true });
    }
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#closeFile();
  }
}

/** A file that another process has removed is not part of the journal. After other errors, it cannot be read. */
function undefinedIfRemoved(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}

function recordAt(line: Buffer, end: number): LogRecord {
  const content = recordOf(line);
  return content === undefined ? { state: 'damaged', end } : { state: 'whole', content, end };
}

/** Names sort by their time: `20261122T183442123Z-0123456789abcdef.journal`. */
function newName(): string {
  const time = new Date().toISOString().replaceAll('-', '').replaceAll(':', '').replace('.', '');
  return `${time}-${randomBytes(8).toString('hex')}${extension}`;
}

/** Makes a new or removed name durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
