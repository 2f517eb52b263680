import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it, describe } from '@jest/globals';
import { buildConsole } from '../../local/build-console.ts';

const root = await mkdtemp(join(tmpdir(), 'build-console-'));
afterAll(() => rm(root, { recursive: true }));

const write = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
};
const builtPage = () => readFile(join(root, 'console/dist/index.html'), 'utf8');

/** Builds the console. Returns the printed lines. */
async function build(): Promise<readonly string[]> {
  const shown: string[] = [];
  const { signal } = new AbortController();
  await buildConsole({ root, signal, show: (line) => void shown.push(line) });
  return shown;
}

/** A builder that writes a page with its build number. */
const builder = `
  const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
  const source = readFileSync('index.html', 'utf8');
  if (source.includes('broken')) { console.error('Syntax error\\nin line 1'); process.exit(1); }
  const folder = process.argv[process.argv.indexOf('--outDir') + 1];
  mkdirSync(folder, { recursive: true });
  const count = 1 + Number((() => { try { return readFileSync('../count', 'utf8'); } catch { return 0; } })());
  writeFileSync('../count', String(count));
  writeFileSync(folder + '/index.html', 'build ' + count);
`;

describe('the console', () => {
  it('is not built when its builder is not installed', async () => {
    await write('console/index.html', 'first');
    await write('package-lock.json', '{}');
    expect(await build()).toEqual([]);
    await expect(builtPage()).rejects.toThrow('ENOENT');
  });

  it('is built once for the same sources', async () => {
    await write('packages/client/source/steward.ts', '');
    await write('node_modules/vite/bin/vite.js', builder);
    expect([await build(), await build()]).toEqual([[], []]);
    expect(await builtPage()).toBe('build 1');
  });

  it('is built again when a source or the client has changed', async () => {
    await write('packages/client/source/steward.ts', 'changed');
    await build();
    expect(await builtPage()).toBe('build 2');
    await write('console/source/page.ts', 'new');
    await build();
    expect(await builtPage()).toBe('build 3');
  });

  it('keeps its last build when a build fails, and reports the failure in one line', async () => {
    await write('console/index.html', 'broken');
    const [line = '', ...others] = await build();
    expect(line).toBe('The console could not be built: Syntax error');
    expect(others).toEqual([]);
    expect(await builtPage()).toBe('build 3');
  });

  it('removes what a killed build has left, but not the folder of a running one', async () => {
    await write('console/.dist-1/index.html', 'abandoned');
    await write('console/.dist-2/index.html', 'running');
    await utimes(join(root, 'console/.dist-1'), 1, 1);
    await build();
    expect([1, 2].map((pid) => existsSync(join(root, `console/.dist-${String(pid)}`)))).toEqual([
      false,
      true,
    ]);
  });

  it('is built when node_modules is in another file system, as in a volume', async () => {
    const volume = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'build-console-'));
    try {
      await cp(join(root, 'node_modules'), volume, { recursive: true });
      await rm(join(root, 'node_modules'), { recursive: true });
      await symlink(volume, join(root, 'node_modules'));
      await write('console/index.html', 'second');
      expect(await build()).toEqual([]);
      expect(await builtPage()).toBe('build 4');
    } finally {
      await rm(volume, { recursive: true });
    }
  });
});
