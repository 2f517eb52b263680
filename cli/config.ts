import { runCommandLine } from './run-command-line.ts';

/**
 * `npm run config`: lists every variable with its default, meaning and current value. Exit code 2 when one, or a file of
 * a secret, is invalid.
 */
await runCommandLine(['config', ...process.argv.slice(2)]);
