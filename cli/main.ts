import { runCommandLine } from './run-command-line.ts';

/** `npm run cli -- <command>`: what an operator does beside the running service. */
await runCommandLine(process.argv.slice(2));
