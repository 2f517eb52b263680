import { readFileSync } from 'node:fs';

/** Preloaded into a process: SIGUSR2 blocks its event loop until the test writes to the named pipe `BLOCKING_PIPE`. */
process.on('SIGUSR2', () => {
  readFileSync(process.env['BLOCKING_PIPE'] ?? '');
});
