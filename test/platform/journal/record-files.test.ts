import {
  appendFile,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RecordFiles } from '../../../platform/journal/record-files.ts';
import type { LogRecord, RecordLog } from '../../../platform/journal/record-log.ts';

const root = await mkdtemp(join(tmpdir(), 'steward-records-'));
afterAll(() => rm(root, { recursive: true, force: true }));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(root, 'log-'));
});

async function recordsOf(log: RecordLog): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for (const { name } of await log.files())
    for await (const record of log.read(name, 0)) records.push(record);
  return records;
}

const textOf = (record: LogRecord): string =>
  record.state === 'whole' ? record.content.toString() : record.state;
const textsOf = async (log: RecordLog): Promise<string[]> => (await recordsOf(log)).map(textOf);

describe('a log in files', () => {
  it('returns the records in order from any position', async () => {
    const log = new RecordFiles(folder);
    await Promise.all(['one', 'two', 'three'].map(async (text) => log.append(Buffer.from(text))));
    const records = await recordsOf(log);
    expect(records.map(textOf)).toEqual(['one', 'two', 'three']);
    const [file] = await log.files();
    const rest: string[] = [];
    for await (const record of log.read(file?.name ?? '', records[0]?.end ?? 0)) rest.push(textOf(record));
    expect(rest).toEqual(['two', 'three']);
    expect(records.at(-1)?.end).toBe(file?.bytes);
    await log.close();
  });

  it('fails when a file cannot be examined, and omits one that another process removes meanwhile', async () => {
    const log = new RecordFiles(folder);
    await symlink(join(folder, 'missing'), join(folder, 'removed.journal'));
    expect(await log.files()).toEqual([]);
    await symlink('loop.journal', join(folder, 'loop.journal'));
    await expect(log.files()).rejects.toMatchObject({ code: 'ELOOP' });
  });

  it('separates the records of several writers', async () => {
    const writers = [1, 2, 3].map(() => new RecordFiles(folder));
    await Promise.all(
      writers.flatMap((log, writer) =>
        Array.from({ length: 20 }, async (_, index) =>
          log.append(Buffer.from(`${String(writer)}-${String(index)}`)),
        ),
      ),
    );
    const [log] = writers;
    if (log === undefined) throw new Error('no writer');
    expect(await log.files()).toHaveLength(3);
    expect(new Set(await textsOf(log)).size).toBe(60);
    await Promise.all(writers.map(async (one) => one.close()));
  });

  it('reports a torn last record, and appends to another file after it', async () => {
    const killed = new RecordFiles(folder);
    await killed.append(Buffer.from('whole'));
    const [file] = await killed.files();
    await appendFile(join(folder, file?.name ?? ''), '0123abcd dG9y');
    const log = new RecordFiles(folder);
    await log.append(Buffer.from('next'));
    expect((await textsOf(log)).toSorted()).toEqual(['next', 'torn', 'whole']);
    await Promise.all([killed.close(), log.close()]);
  });

  it('reports a changed record as damaged, and reads the records after it', async () => {
    const log = new RecordFiles(folder);
    for (const text of ['one', 'two', 'three']) await log.append(Buffer.from(text));
    const [file] = await log.files();
    const path = join(folder, file?.name ?? '');
    const lines = (await readFile(path, 'latin1')).split('\n');
    await writeFile(path, [lines[0], lines[1]?.replace(/.$/, '#'), ...lines.slice(2)].join('\n'));
    expect(await textsOf(log)).toEqual(['one', 'damaged', 'three']);
    await log.close();
  });

  it('begins another file at the configured size and age', async () => {
    const small = new RecordFiles(folder, { bytes: 20, ageMs: 60_000 });
    for (const text of ['one', 'two', 'three']) await small.append(Buffer.from(text));
    expect(await small.files()).toHaveLength(2);
    const old = new RecordFiles(folder, { bytes: 1_000, ageMs: 0 });
    for (const text of ['four', 'five']) await old.append(Buffer.from(text));
    expect(await old.files()).toHaveLength(4);
    expect(await textsOf(old)).toHaveLength(5);
    await Promise.all([small.close(), old.close()]);
  });

  it('does not append to a file that was removed from the folder', async () => {
    const log = new RecordFiles(folder);
    await log.append(Buffer.from('one'));
    const [file] = await log.files();
    await rename(join(folder, file?.name ?? ''), join(root, 'elsewhere'));
    await log.append(Buffer.from('two'));
    expect(await textsOf(log)).toEqual(['two']);
    await log.close();
  });

  it('rejects an append while the folder does not exist, and appends once it does', async () => {
    const aside = `${folder}-aside`;
    await rename(folder, aside);
    const log = new RecordFiles(folder);
    await expect(log.append(Buffer.from('lost'))).rejects.toThrow('ENOENT');
    await expect(log.checkWritable()).rejects.toThrow('ENOENT');
    await rename(aside, folder);
    await log.append(Buffer.from('kept'));
    await log.checkWritable();
    expect(await textsOf(log)).toEqual(['kept']);
    expect(await readdir(folder)).toHaveLength(1);
    await log.close();
  });

  it('stores files that only their owner can read, and removes whole files', async () => {
    const log = new RecordFiles(folder);
    await log.append(Buffer.from('one'));
    const [file] = await log.files();
    const { mode } = await stat(join(folder, file?.name ?? ''));
    expect(mode & 0o777).toBe(0o600);
    await log.remove(file?.name ?? '');
    expect(await log.files()).toEqual([]);
    await log.close();
  });

  it('refuses a record beyond 8 MiB and reads one of that size', async () => {
    const log = new RecordFiles(folder);
    const largest = Buffer.alloc(8 * 1_048_576, 'x');
    await expect(log.append(Buffer.concat([largest, largest]))).rejects.toThrow(
      'Record exceeds 8388608 bytes.',
    );
    await log.append(largest);
    const [record] = await recordsOf(log);
    expect(record?.state === 'whole' && record.content.equals(largest)).toBe(true);
    await log.close();
  });
});
