import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeCluster } from '../../local/postgres-cluster.ts';
import { startServers } from '../run/servers.ts';
import { recordAll } from './record-all.ts';

/*
 * `node test/histories/record.ts [prefix...]`: runs every workflow on its own servers and writes the histories, or
 * those whose names begin with a prefix, next to this file. A test replays them. Keep the histories of the current
 * release. Record a changed path under a new name, and change workflows only so that old histories still replay
 * (`patched()`).
 */

/** Prefixes of the histories to write. Without one, all are written. */
const prefixes = process.argv.slice(2);

const folder = await mkdtemp(join(tmpdir(), 'steward-record-'));
const servers = await startServers(folder, new AbortController().signal, (line) =>
  process.stderr.write(`${line}\n`),
);
try {
  Object.assign(process.env, servers.environment);
  for (const [name, history] of Object.entries(await recordAll())) {
    if (prefixes.length > 0 && !prefixes.some((prefix) => name.startsWith(prefix))) continue;
    await writeFile(new URL(`${name}.json`, import.meta.url), history);
  }
} finally {
  await servers.stop();
  await removeCluster(join(folder, 'postgres'));
  await rm(folder, { recursive: true, force: true });
}
