import { spawn } from 'node:child_process';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { variables } from '../../platform/config/variables.ts';
import { removeCluster } from '../../local/postgres-cluster.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'demo-'));
const dataDirectory = join(folder, 'data');

afterAll(async () => {
  await removeCluster(join(dataDirectory, 'postgres'));
  await rm(folder, { recursive: true, force: true });
});

/** Runs `npm run demo` on its own data folder, without the configuration of this environment. */
async function demo(environment: NodeJS.ProcessEnv): Promise<{ exitCode: number | null; output: string }> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !Object.hasOwn(variables, name) && name !== 'NODE_OPTIONS' && !name.startsWith('TEST_'),
  );
  const child = spawn(process.execPath, ['cli/demo.ts'], {
    cwd: root,
    env: { ...Object.fromEntries(inherited), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { exitCode, output };
}

describe('npm run demo', () => {
  it('starts Steward, proves its guarantees for migrations, events and deletions, and stops Steward', async () => {
    const { exitCode, output } = await demo({ STEWARD_DATA_DIR: dataDirectory });
    expect(output).toContain('All checks passed');
    expect(exitCode).toBe(0);
    expect(output).toMatch(/They match the 10,\d{3} acknowledged activity logs, id by id/);
    expect(output).toMatch(/http:\/\/\S+\/namespaces\/default\/workflows\/document-migration%2Fjob_[\w-]+/);
    expect(output).toMatch(/The server returned 204 to a test message: its signature is valid/);
    expect(output).toMatch(/paragraph\.edit \d{3,} times, document\.migrated once, each signed/);
    expect(output).toMatch(/Numbered from 1 to \d{3,} without a gap/);
    expect(output).toContain('Its comment thread followed it: clause-4, each comment and reaction as before');
    expect(output).toMatch(/Deleted: 2,000 activities, 20\d mentions, .*1 comments, 1 reactions, .*1 user/);
    expect(output).toMatch(/The comment thread stays with ada's reply, and names linus-\w+ nowhere/);
    expect(output).toMatch(/The receipt is signed by key \S+ of \/\.well-known\/jwks\.json/);
    expect(output).toMatch(/users\/data\/get finds no data of linus-\w+/);
    expect(output.match(/StewardJobId = "job_[\w-]+" {2}found 1 /g)).toHaveLength(2);
    expect(output).toMatch(/StewardOrganizationId = "acme-\w+" {2}found 1 /);
    await expect(access(join(dataDirectory, 'demo.json'))).rejects.toThrow('ENOENT');
  });

  it('rejects an invalid configuration in one line', async () => {
    const { exitCode, output } = await demo({ STEWARD_DATA_DIR: dataDirectory, PORT: 'seven' });
    expect(exitCode).toBe(2);
    expect(output).toMatch(/^PORT was "seven"; it may be [^\n]*\n$/);
  });
});
