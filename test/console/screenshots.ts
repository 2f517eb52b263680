import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { createClient } from '../../packages/client/source/steward.ts';
import { inherited } from '../start/npm-start.ts';
import { launchChromium } from '../support/chromium.ts';
import { root } from '../support/source-files.ts';
import { aStack, type Stack } from './stack.ts';

/** `npm run record:screenshots`: opens the records of `npm run demo` in the console and writes the pictures of docs/console.md. */

const folder = join(root, 'docs/console');
const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 780 };

const stack = await aStack();
const browser = await launchChromium();
try {
  await runDemo(stack);
  await mkdir(folder, { recursive: true });
  const context = await browser.newContext({ viewport: desktop, locale: 'en-US', timezoneId: 'UTC' });
  const page = await context.newPage();
  await page.goto(stack.link);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  for (const [name, search] of Object.entries(await shownPages(stack))) await shoot(page, name, search);
  await page.setViewportSize(phone);
  await page.emulateMedia({ colorScheme: 'dark' });
  await shoot(page, 'phone', 'overview');
} finally {
  await browser.close();
  await stack.close();
}

async function runDemo({ dataDirectory }: Stack): Promise<void> {
  const env = { ...inherited(), STEWARD_DATA_DIR: dataDirectory };
  await promisify(execFile)(process.execPath, ['cli/demo.ts'], { cwd: root, env });
}

/** Pages below those of the demo key, by the names of their pictures. */
async function shownPages({ demo: { baseUrl, apiKey, authToken } }: Stack) {
  const client = createClient({ baseUrl, apiKey, authToken });
  const { data: jobs } = await client.jobs.list({ kind: 'user-data-deletion' });
  const { data: organizations } = await client.organizations.get({});
  const organizationId = organizations.find(({ organizationName }) => organizationName === 'Acme')?.id ?? '';
  const { data: documents } = await client.documents.get({ organizationId });
  const documentId = documents[0]?.id ?? '';
  const deletionId = jobs[0]?.jobId ?? '';
  // The demo appends the name of its run to ids.
  const userOf = (name: string): string => organizationId.replace('acme', name);
  const deletedId = userOf('linus');
  const of = (page: string, search: Readonly<Record<string, string>>): string =>
    `${page}?${new URLSearchParams(search).toString()}`;
  return {
    overview: 'overview',
    access: of('document', {
      organizationId,
      documentId,
      userId: userOf('ada'),
    }),
    deletion: of('user', {
      organizationId,
      userId: deletedId,
      tab: 'deletion',
      jobsUserId: deletedId,
      deletionId,
    }),
  };
}

async function shoot(page: Page, name: string, path: string): Promise<void> {
  const [, key = ''] = /(\/keys\/[^/]+)\//.exec(new URL(page.url()).pathname) ?? [];
  await page.goto(`${stack.demo.baseUrl}/console${key}/${path}`);
  await page.locator('h1').waitFor();
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
