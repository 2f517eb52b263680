import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { readIfThere, writeWhole } from './files.ts';
import { commandLine, identify, type ProcessIdentity } from './processes.ts';

/**
 * Writes a process's identity to a file, so that a later start recognizes it. Writes the id synchronously, so that it
 * survives a supervisor killed right after the spawn.
 */
export async function keepProcess(file: string, pid: number): Promise<ProcessIdentity | undefined> {
  writeFileSync(file, `${pid}\n`, { mode: 0o600 });
  const identity = await identify(pid);
  if (identity) await writeWhole(file, `${pid}\n${identity.startedAt}\n`);
  return identity;
}

/**
 * The process of the file, if it is still running. When the file contains only an id, the process's command line must
 * contain `mark`.
 */
export async function keptProcess(file: string, mark: string): Promise<ProcessIdentity | undefined> {
  const [pidText = '', startedAt = ''] = ((await readIfThere(file)) ?? '').split('\n');
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 1) return undefined;
  const found = await identify(pid);
  const same = startedAt === '' ? (await commandLine(pid)).includes(mark) : found?.startedAt === startedAt;
  return same ? found : undefined;
}

/** Removes the file of an ended process. */
export async function forgetProcess(file: string): Promise<void> {
  await rm(file, { force: true });
}
