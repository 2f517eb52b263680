import { removePrivateFolder } from './private-folder.ts';

/**
 * `node watchdog.ts <folder>`: waits for the end of its input, which comes when the process of the tests is killed, then
 * stops the servers in the folder and removes it. An environment that is torn down ends its watchdog first.
 */
const [, , folder = ''] = process.argv;
process.stdin.resume();
process.stdin.once('end', () => void removePrivateFolder(folder));
