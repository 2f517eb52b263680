import { CommanderError } from 'commander';
import { createProgram } from './program.ts';
import { exitCodes, failureOf } from './failure.ts';

/** `npm run cli -- <command>`: what an operator does beside the running service. Exit codes: 0 done, 1 failed, 2 bad arguments or configuration. */
try {
  await createProgram(process.env, (text) => process.stdout.write(text)).parseAsync(process.argv);
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has said what it is.
    process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.misused;
  } else {
    const { text, exitCode } = failureOf(error);
    process.stderr.write(`${text}\n`);
    process.exitCode = exitCode;
  }
}
