import { removePrivateFolder } from './private-folder.ts';

/**
 * `node watchdog.ts <folder>`: waits for the end of its input, which follows a kill of the test process. Then it stops
 * the servers in the folder and removes it. A teardown kills the watchdog last, so that it completes a teardown
 * that is killed.
 */
const [, , folder = ''] = process.argv;
process.stdin.resume();
process.stdin.once('end', () => void removePrivateFolder(folder));
