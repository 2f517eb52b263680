import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { readIfThere, writeWhole } from './files.ts';
import { commandLine, identify, type ProcessIdentity } from './processes.ts';

/**
 * Keeps a process's identity in a file, so that a later start can recognise it. The id is written before this function
 * first waits: a supervisor killed right after the spawn still leaves it.
 */
export async function keepProcess(file: string, pid: number): Promise<ProcessIdentity | undefined> {
  writeFileSync(file, `${pid}\n`, { mode: 0o600 });
  const identity = await identify(pid);
  if (identity) await writeWhole(file, `${pid}\n${identity.startedAt}\n`);
  return identity;
}

/**
 * The process that a file speaks of, if that very one still lives. Where the file knows no more than an id, its command
 * line must hold `mark`.
 */
export async function keptProcess(file: string, mark: string): Promise<ProcessIdentity | undefined> {
  const [pidText = '', startedAt = ''] = ((await readIfThere(file)) ?? '').split('\n');
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 1) return undefined;
  const found = await identify(pid);
  const same = startedAt === '' ? (await commandLine(pid)).includes(mark) : found?.startedAt === startedAt;
  return same ? found : undefined;
}

/** The process has ended. */
export async function forgetProcess(file: string): Promise<void> {
  await rm(file, { force: true });
}
