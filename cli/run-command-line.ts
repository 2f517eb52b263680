import { CommanderError } from 'commander';
import { withSecretFiles } from '../platform/config/secret-files.ts';
import { unknownVariables, warningOf } from '../platform/config/unknown-variables.ts';
import { exitCodes, failureOf } from './failure.ts';
import { createProgram } from './program.ts';

/** Runs one command and sets the exit code: 0 done, 1 failed, 2 invalid arguments or configuration. */
export async function runCommandLine(argumentList: readonly string[]): Promise<void> {
  for (const variable of unknownVariables(process.env)) process.stderr.write(`${warningOf(variable)}\n`);
  try {
    await createProgram(withSecretFiles(process.env), (text) => process.stdout.write(text)).parseAsync(
      argumentList,
      {
        from: 'user',
      },
    );
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has printed the error.
      process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.misused;
    } else {
      const { text, exitCode } = failureOf(error);
      process.stderr.write(`${text}\n`);
      process.exitCode = exitCode;
    }
  }
}
