import { runCommandLine } from './run-command-line.ts';

/** `npm run cli -- <command>`: the operator's commands. */
await runCommandLine(process.argv.slice(2));
