import { execFileSync } from 'node:child_process';
import { readdir, readFile, realpath } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { minify } from '@swc/core';
import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { aTenant } from '../../support/factories.ts';
import { pageBlocks } from '../../support/page-blocks.ts';
import { root } from '../../support/source-files.ts';
import { expectedOutput, scratchProject } from './packed-client.ts';

const [api, project] = await Promise.all([startTestApi(), scratchProject()]);
// Includes a check of the declarations.
await project.compile(join(root, 'node_modules/typescript'), 'nodenext');
afterAll(async () => {
  await api.close();
  await project.remove();
});

/** The Node of this process and those of PATH, by version. */
async function nodes(): Promise<[version: string, command: string][]> {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = await Promise.all(
    folders.map((folder) => realpath(join(folder, 'node')).catch(() => undefined)),
  );
  const commands = [...new Set([process.execPath, ...found.filter((path) => path !== undefined)])];
  return commands
    .map((command): [string, string] => [
      execFileSync(command, ['--version'], { encoding: 'utf8' }).trim(),
      command,
    ])
    .filter(([version]) => Number(version.slice(1).split('.')[0]) >= 20);
}

const installed = await nodes();
const packed = join(project.folder, 'node_modules/@steward/client');

describe('the packed client', () => {
  it('has JavaScript and declarations, and no dependency', async () => {
    const described = JSON.parse(await readFile(join(packed, 'package.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    const ours = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
    expect(described['version']).toBe(ours['version']);
    expect(Object.keys(described).filter((name) => /dependencies/i.test(name))).toEqual([]);
    const files = await readdir(packed, { recursive: true });
    expect(files.filter((name) => /\.\w+$/.test(name) && !/\.(?:js|d\.ts|json|md)$/.test(name))).toEqual([]);
    for (const name of files.filter((file) => file.endsWith('.js'))) {
      const imported = (await readFile(join(packed, name), 'utf8')).matchAll(
        / from '([^']+)'|import\('([^']+)'\)/g,
      );
      expect([...imported].filter(([, from = '']) => !/^\.{1,2}\/[\w./-]+\.js$/.test(from))).toEqual([]);
    }
  });

  it('is packed by the page’s first block, which installs the compiler before', async () => {
    const [block] = await pageBlocks('client');
    expect(block?.text.trimEnd().split('\n')).toEqual(['npm ci', 'npm pack ./packages/client']);
    const { scripts } = JSON.parse(await readFile(join(root, 'packages/client/package.json'), 'utf8')) as {
      scripts: Readonly<Record<string, string>>;
    };
    expect(scripts).toMatchObject({ prepack: 'npm run build', build: expect.stringMatching(/^tsc /) });
  });

  it('has at most 30 kB of minified JavaScript', async () => {
    const names = (await readdir(join(packed, 'dist'), { recursive: true })).filter((name) =>
      name.endsWith('.js'),
    );
    const sizes = await Promise.all(
      names.map(async (name) => {
        const source = await readFile(join(packed, 'dist', name), 'utf8');
        return (await minify(source, { module: true, compress: true, mangle: true })).code.length;
      }),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(30_000);
  });

  it('compiles with the TypeScript of this repository and moduleResolution bundler, including its declarations', async () => {
    await project.compile(join(root, 'node_modules/typescript'), 'bundler');
  });

  it.each(installed)('runs in Node %s', async (_, command) => {
    await expect(project.runProgram([command, '--no-warnings'], api.url, await aTenant(api))).resolves.toBe(
      expectedOutput,
    );
  });
});
