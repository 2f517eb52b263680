import { runCommandLine } from './run-command-line.ts';

/** `npm run config`: every variable with its default, meaning and present value. Exit code 2 when one cannot be used. */
await runCommandLine(['config', ...process.argv.slice(2)]);
