import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { variables } from '../platform/config/variables.ts';
import { memoryEnvironment, nodeOptionsOf } from '../platform/process/node-options.ts';
import { identify, stopProcess } from '../local/processes.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A program under measurement. */
export interface Program {
  readonly pid: number;
  stop(): Promise<void>;
}

/** Returns the environment of the programs, without Steward's variables. */
export const plainEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !Object.hasOwn(variables, name)));

/** Runs a script of the repository. `options` are Node's. */
export async function startScript(
  script: string,
  environment: NodeJS.ProcessEnv,
  log: string,
  options: readonly string[] = [],
): Promise<Program> {
  const argumentList = [...nodeOptionsOf(script), ...options, script];
  return await startProgram(process.execPath, argumentList, {
    environment: { ...memoryEnvironment, ...environment },
    log,
  });
}

/** Runs a program; its output goes to a file, because reading it would cost CPU time. */
export async function startProgram(
  program: string,
  argumentList: readonly string[],
  { environment = {}, log }: { readonly environment?: NodeJS.ProcessEnv; readonly log: string },
): Promise<Program> {
  const output = openSync(log, 'a', 0o600);
  const child = spawn(program, argumentList, {
    cwd: root,
    env: { ...plainEnvironment(), ...environment },
    stdio: ['ignore', output, output],
    detached: true,
  });
  closeSync(output);
  const { pid } = child;
  const known = pid === undefined ? undefined : await identify(pid);
  if (pid === undefined || known === undefined) {
    throw new Error(`${argumentList.at(-1) ?? program} did not start: see ${log}.`);
  }
  return { pid, stop: async () => void (await stopProcess(known, 20_000)) };
}

/** Linux reports CPU time in hundredths of a second, whatever the resolution of its clock. */
const microsecondsPerTick = 10_000;

/** CPU microseconds that a process has used since it began; undefined where the system does not report it or the process has ended. */
export function cpuOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // The program's name may contain spaces and brackets; the fields follow its last bracket.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * microsecondsPerTick;
  } catch {
    return undefined;
  }
}

/** Megabytes that a process has in memory; undefined where the system does not report it. */
export function residentOf(pid: number): number | undefined {
  try {
    const [, kilobytes] =
      /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1_024;
  } catch {
    return undefined;
  }
}
