import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { removeCluster } from '../../local/postgres-cluster.ts';
import { endLeftBehind } from './left-behind.ts';

/**
 * `node watchdog.ts <run> <folder>`: waits for the end of its input, which a kill of the test run causes, then ends
 * the run's processes and removes its folder. An orderly run stops its watchdog first.
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
