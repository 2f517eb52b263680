import { CommanderError } from 'commander';
import { withSecretFiles } from '../platform/config/secret-files.ts';
import { unknownVariables, warningOf } from '../platform/config/unknown-variables.ts';
import { exitCodes, failureOf } from './failure.ts';
import { createProgram } from './program.ts';

/** What a command reads and where it prints. */
export interface CommandSurroundings {
  readonly environment: NodeJS.ProcessEnv;
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
}

const ofThisProcess: CommandSurroundings = {
  environment: process.env,
  write: (text) => process.stdout.write(text),
  writeError: (text) => process.stderr.write(text),
};

/** Runs one command and sets the exit code: 0 done, 1 failed, 2 invalid arguments or configuration. */
export async function runCommandLine(
  argumentList: readonly string[],
  { environment, write, writeError }: CommandSurroundings = ofThisProcess,
): Promise<void> {
  for (const variable of unknownVariables(environment)) writeError(`${warningOf(variable)}\n`);
  try {
    await createProgram(withSecretFiles(environment), write, writeError).parseAsync(argumentList, {
      from: 'user',
    });
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has printed the error.
      process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.misused;
    } else {
      const { text, exitCode } = failureOf(error);
      writeError(`${text}\n`);
      process.exitCode = exitCode;
    }
  }
}
