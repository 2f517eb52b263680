import { CommanderError } from 'commander';
import { withSecretFiles } from '../platform/config/secret-files.ts';
import { unknownVariables, warningOf } from '../platform/config/unknown-variables.ts';
import { exitCodes } from '../platform/process/exit-codes.ts';
import { failureOf, OutputFailure } from './failure.ts';
import type { Write } from './output.ts';
import { createProgram } from './program.ts';

/** What a command reads and where it prints. */
export interface CommandSurroundings {
  readonly environment: NodeJS.ProcessEnv;
  readonly write: Write;
  readonly toTerminal?: boolean;
  readonly writeError: (text: string) => void;
}

const ofThisProcess: CommandSurroundings = {
  environment: process.env,
  write: writeToStdout,
  toTerminal: process.stdout.isTTY,
  writeError: (text) => process.stderr.write(text),
};

/** Writes a text, and waits until its reader has taken it. Throws when the reader has left, as `head` does. */
async function writeToStdout(text: string): Promise<void> {
  const { stdout } = process;
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error): void => reject(new OutputFailure(error));
    // Without a listener, the event would end the process with a stack trace.
    stdout.once('error', fail);
    stdout.write(text, (error) => {
      if (error) return fail(error);
      stdout.off('error', fail);
      resolve();
    });
  });
}

/** Runs one command and sets the exit code: 0 done, 1 failed, 2 invalid arguments or configuration. */
export async function runCommandLine(
  argumentList: readonly string[],
  { environment, write, toTerminal = false, writeError }: CommandSurroundings = ofThisProcess,
): Promise<void> {
  for (const variable of unknownVariables(environment)) writeError(`${warningOf(variable)}\n`);
  const help: string[] = [];
  const program = createProgram(withSecretFiles(environment), {
    write,
    toTerminal,
    writeError,
    showHelp: (text) => void help.push(text),
  });
  try {
    const end = await endOf(async () => program.parseAsync(argumentList, { from: 'user' }));
    if (help.length > 0) await write(help.join(''));
    // Commander has printed the error.
    if (end !== undefined) process.exitCode = end.exitCode === 0 ? exitCodes.done : exitCodes.misused;
  } catch (error) {
    const { text, exitCode } = failureOf(error);
    writeError(`${text}\n`);
    process.exitCode = exitCode;
  }
}

/** Returns the error with which commander ends after help or invalid arguments. */
async function endOf(parse: () => Promise<unknown>): Promise<CommanderError | undefined> {
  try {
    await parse();
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError) return error;
    throw error;
  }
}
