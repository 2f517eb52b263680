import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { removeCluster } from '../../local/postgres-cluster.ts';
import { endLeftBehind } from './left-behind.ts';

/**
 * `node watchdog.ts <run> <folder>`: waits for the end of its input, which comes when the test run is killed, then ends
 * what the run started and removes its folder. A run that ends in order ends its watchdog first.
 */
const [, , run = '', folder = ''] = process.argv;
process.stdin.resume();
process.stdin.once('end', () => {
  void (async () => {
    await endLeftBehind(run);
    await removeCluster(join(folder, 'postgres'));
    await rm(folder, { recursive: true, force: true });
  })();
});
