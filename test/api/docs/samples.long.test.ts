import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { endpoints } from '../../../api/endpoints.ts';
import { startTestApi } from '../../support/api.ts';
import { startTestBrowser } from '../../support/browser.ts';
import { aTenant } from '../../support/factories.ts';
import { openReference } from './reference-page.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'steward-samples-'));
const [api, browser] = await Promise.all([startTestApi(), startTestBrowser()]);
afterAll(async () => {
  await browser.close();
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

/** Samples of all operations in a language, by the id of the operation. */
async function samplesIn(page: Page, language: string): Promise<Readonly<Record<string, string>>> {
  await page.locator('details[open] [role=tab]').getByText(language).click();
  return await page.evaluate(`Object.fromEntries(
    [...document.querySelectorAll('details.operation')].map((view) => [view.id, view.querySelector('.samples pre').textContent]),
  )`);
}

browser.describe('calls on the reference page', () => {
  let page: Page;
  beforeAll(async () => {
    ({ page } = await openReference(browser, api.url, { hash: '#organizations.get' }));
  });

  it('in TypeScript fit the types of the client', async () => {
    const samples = Object.entries(await samplesIn(page, 'TypeScript'));
    expect(samples).toHaveLength(endpoints.length);
    for (const [id, text] of samples)
      await writeFile(join(folder, `${id}.mts`), `${text}\nexport { result };\n`);
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: 'es2024',
      module: 'nodenext',
      lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'],
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      paths: { '@steward/client': [join(root, 'packages/client/source/steward.ts')] },
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts'] }));
    const compiled = run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]);
    expect(
      await compiled.then(
        () => '',
        (error: unknown) => (error as { readonly stdout: string }).stdout,
      ),
    ).toBe('');
  });

  it('in curl and Python succeed, where these are installed', async () => {
    const tenant = await aTenant(api);
    const env = { ...process.env, SVC_API_KEY: tenant.apiKey, SVC_AUTH_TOKEN: tenant.authToken };
    const programs = [
      ['curl', 'sh', 'command -v curl'],
      ['Python', 'python3', 'python3 -c "import requests"'],
    ] as const;
    for (const [language, program, check] of programs) {
      const installed = await run('sh', ['-c', check]).then(
        () => true,
        () => false,
      );
      if (!installed) process.stderr.write(`${language} is not installed: its sample was not run.\n`);
      else {
        const { 'organizations.get': sample = '' } = await samplesIn(page, language);
        expect((await run(program, ['-c', sample], { env })).stdout).toContain('"status":"success"');
      }
    }
  });
});
