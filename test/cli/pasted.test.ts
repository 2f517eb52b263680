import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { removeCluster } from '../../platform/local/postgres-cluster.ts';
import { inherited, npmStart } from '../start/npm-start.ts';
import type { Start } from '../start/npm-start.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Blocks of the README that are not pasted here, and why. */
const elsewhere = new Map([
  ['npm start', 'stays in the foreground: it runs beside this test'],
  ['npm run demo', 'takes minutes: test/cli/demo.test.ts runs it'],
  ['docker compose up --build --detach', 'needs Docker: test/platform/compose.test.ts checks the file'],
]);

let checkout: string;
let start: Start;

/** What a reader has before them: a folder with everything of this one, and a data folder of its own. */
async function aCheckout(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pasted-'));
  for (const name of await readdir(root)) {
    if (name !== '.data' && name !== '.env') await symlink(join(root, name), join(folder, name));
  }
  return folder;
}

/** The code blocks of a language, in their order. */
async function blocks(language: string): Promise<readonly string[]> {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const pattern = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm');
  return [...readme.matchAll(pattern)].map(([, text = '']) => text.trimEnd());
}

/** Pastes blocks into one shell, one after the other; gives what each of them printed. */
async function paste(shell: string, pasted: readonly string[]): Promise<readonly string[]> {
  const mark = '== next block ==';
  const script = ['set -e', ...pasted.map((block) => `${block}\necho; echo '${mark}'`)].join('\n');
  const { stdout, stderr } = await promisify(execFile)(shell, ['-c', script], {
    cwd: checkout,
    env: inherited(),
    maxBuffer: 16_777_216,
  });
  expect(stderr).toBe('');
  return stdout.split(`${mark}\n`).slice(0, pasted.length);
}

beforeAll(async () => {
  checkout = await aCheckout();
  start = npmStart(join(checkout, '.data'));
  await start.ready();
});

afterAll(async () => {
  start.child.kill('SIGTERM');
  await start.ended();
  await removeCluster(join(checkout, '.data', 'postgres'));
});

describe('the README', () => {
  it.each(['sh', 'bash'])(
    'has shell blocks that run as they are pasted into %s, in their order',
    async (shell) => {
      const pasted = (await blocks('sh')).filter((block) => !elsewhere.has(block));
      const printed = await paste(shell, pasted);
      const calls = pasted.flatMap((block, index) =>
        /curl -s|^call /m.test(block) ? [printed[index] ?? ''] : [],
      );
      expect(calls.length).toBeGreaterThanOrEqual(5);
      for (const output of calls) {
        expect(output).not.toContain('"error":{');
        for (const line of output.split('\n').filter((text) => text !== '')) {
          expect(() => {
            for (const answer of line.replaceAll('}{', '}\n{').split('\n')) JSON.parse(answer);
          }).not.toThrow();
        }
      }
      const everything = printed.join('\n');
      expect(everything).toMatch(/"result":\{"status":"success".*"acme":\{"success":true/);
      expect(everything).toMatch(/"jobId":"job_[\w-]+","status":"(pending|in_progress|completed)"/);
      expect(everything).toContain('"id":"ep_');
      expect(everything).toContain('"error":"No API key configured for provider: OpenAI"');
      expect(await readFile(join(checkout, '.env'), 'utf8')).toContain('STEWARD_ENCRYPTION_KEYS=');
    },
    120_000,
  );

  it('has no block that is neither pasted here nor run elsewhere, and names none that is gone', async () => {
    const all = await blocks('sh');
    for (const block of elsewhere.keys()) expect(all).toContain(block);
    // A prompt or an elision cannot be pasted; comments fail in an interactive zsh.
    for (const block of all) expect(block).not.toMatch(/^\$ |…|#/m);
    for (const block of await blocks('console')) expect(block).not.toMatch(/^\$ /m);
  });

  it('has a call from TypeScript that runs as it is pasted', async () => {
    const call = (await blocks('ts')).find((block) => block.includes('createClient('));
    await writeFile(join(checkout, 'pasted.ts'), call ?? '');
    const { stdout } = await promisify(execFile)(process.execPath, ['pasted.ts'], {
      cwd: checkout,
      env: inherited(),
    });
    expect(stdout).toContain(`id: 'acme'`);
  });
});
