import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { aTenant } from '../../support/factories.ts';
import { expectedOutput, scratchProject } from './packed-client.ts';

/** Downloaded from npm: TypeScript's program would replace the repository's, and no other test needs the rest. */
const tools = [
  'typescript-5@npm:typescript@5.9.3',
  'typescript-7@npm:typescript@7.0.2',
  'deno@2.9.6',
  'bun@1.4.5',
  'esbuild@0.28.2',
];

const [api, project] = await Promise.all([startTestApi(), scratchProject()]);
beforeAll(() => project.npm('install', ...tools));
afterAll(async () => {
  await api.close();
  await project.remove();
});

const program = (name: string): string => join(project.folder, 'node_modules/.bin', name);

describe('the packed client', () => {
  it.each([
    ['typescript-5', 'nodenext'],
    ['typescript-5', 'bundler'],
    ['typescript-7', 'nodenext'],
    ['typescript-7', 'bundler'],
  ] as const)(
    'compiles with %s and moduleResolution %s, including its declarations',
    async (name, moduleResolution) => {
      await project.compile(join(project.folder, 'node_modules', name), moduleResolution);
    },
  );

  it.each([
    ['Deno', [program('deno'), 'run', '--allow-net', '--allow-read']],
    ['Bun', [program('bun')]],
  ])('runs in %s', async (_, command) => {
    await project.compile(join(project.folder, 'node_modules/typescript-5'), 'nodenext');
    await expect(project.runProgram(command, api.url, await aTenant(api))).resolves.toBe(expectedOutput);
  });

  it('has at most 30 kB when minified by a bundler', async () => {
    const entry = join(project.folder, 'node_modules/@steward/client/dist/steward.js');
    expect((await project.bundle(entry)).length).toBeLessThanOrEqual(30_000);
  });
});
