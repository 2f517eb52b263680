import { readdir, readFile } from 'node:fs/promises';
import { commandLine, identify, stopProcess } from '../../local/processes.ts';

/** A variable that every process of a test run inherits. */
export const marker = 'STEWARD_TEST_RUN';

/** Kills all remaining processes of the run. Returns their command lines. Finds them on Linux only. */
export async function endLeftBehind(run: string): Promise<readonly string[]> {
  const ended: string[] = [];
  for (const pid of await processIds()) {
    if (pid === process.pid || !(await isOf(pid, run))) continue;
    const found = await identify(pid);
    if (!found) continue;
    ended.push(`${pid} ${await commandLine(pid)}`);
    await stopProcess(found, 0, 'SIGKILL');
  }
  return ended;
}

async function isOf(pid: number, run: string): Promise<boolean> {
  try {
    return (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0').includes(`${marker}=${run}`);
  } catch {
    // The process has ended, or belongs to another user.
    return false;
  }
}

async function processIds(): Promise<readonly number[]> {
  try {
    return (await readdir('/proc')).map(Number).filter((pid) => Number.isInteger(pid));
  } catch {
    return [];
  }
}
