import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { codeOf } from '../platform/process/error-code.ts';

/** A process, distinct from later processes with the same id. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; differs between two processes with the same id. */
  readonly startedAt: string;
}

/** The running process with this id; undefined for none or a zombie. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const startedAt = process.platform === 'linux' ? await startedAtOnLinux(pid) : await startedAtByPs(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** Whether the same process is still running. */
export async function isAlive(known: ProcessIdentity): Promise<boolean> {
  return (await identify(known.pid))?.startedAt === known.startedAt;
}

/** The program and arguments, or an empty text. */
export async function commandLine(pid: number): Promise<string> {
  try {
    if (process.platform !== 'linux') return await ps(pid, 'command=');
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

/** Signals the process, kills it after `graceMs` and waits for its end. Returns whether it ended without the kill. */
export async function stopProcess(
  known: ProcessIdentity,
  graceMs: number,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<boolean> {
  if (await trySignal(known, signal)) {
    if (await waitUntilGone(known, graceMs)) return true;
    await trySignal(known, 'SIGKILL');
    await waitUntilGone(known, 5_000);
    return false;
  }
  return true;
}

/** Waits up to `withinMs` for the process's end; returns whether it ended. */
export async function waitUntilGone(known: ProcessIdentity, withinMs: number): Promise<boolean> {
  const until = Date.now() + withinMs;
  while (await isAlive(known)) {
    if (Date.now() >= until) return false;
    await pause(20);
  }
  return true;
}

/** Waits for the process's end without a limit. */
export async function whenGone(known: ProcessIdentity): Promise<void> {
  while (await isAlive(known)) await pause(200);
}

/** Returns whether the process was alive. */
async function trySignal(known: ProcessIdentity, signal: NodeJS.Signals): Promise<boolean> {
  if (!(await isAlive(known))) return false;
  try {
    process.kill(known.pid, signal);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
    throw error;
  }
}

async function startedAtOnLinux(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The program's name may contain spaces and brackets; the fields follow its last bracket.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startTicks] = [fields[0], fields[19]];
    if (state === 'Z' || state === 'X') return undefined;
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    return `${boot.trim()}/${startTicks}`;
  } catch {
    return undefined;
  }
}

async function startedAtByPs(pid: number): Promise<string | undefined> {
  try {
    const [state = '', ...start] = (await ps(pid, 'stat=,lstart=')).split(/\s+/);
    return state === '' || state.startsWith('Z') ? undefined : start.join(' ');
  } catch {
    return undefined;
  }
}

async function ps(pid: number, columns: string): Promise<string> {
  const { stdout } = await promisify(execFile)('ps', ['-o', columns, '-p', String(pid)], {
    env: { ...process.env, LC_ALL: 'C' },
  });
  return stdout.trim();
}
