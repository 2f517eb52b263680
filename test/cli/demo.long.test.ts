import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { removeCluster } from '../../local/postgres-cluster.ts';
import { expectProven, runDemo } from './demo-run.ts';

const folder = await mkdtemp(join(tmpdir(), 'demo-'));
const dataDirectory = join(folder, 'data');

afterAll(async () => {
  await removeCluster(join(dataDirectory, 'postgres'));
  await rm(folder, { recursive: true, force: true });
});

describe('npm run demo', () => {
  it('starts Steward, proves its guarantees for migrations, events and deletions, and stops Steward', async () => {
    const { exitCode, output } = await runDemo({ STEWARD_DATA_DIR: dataDirectory });
    expectProven(output);
    expect(exitCode).toBe(0);
    await expect(access(join(dataDirectory, 'demo.json'))).rejects.toThrow('ENOENT');
  });
});
