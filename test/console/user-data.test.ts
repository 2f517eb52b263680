import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { aTenant } from '../support/factories.ts';
import { openConsole, signIn } from './console-page.ts';
import { consoleScene, signInsOf } from './console-scene.ts';

const { api, browser } = await consoleScene();

const tenant = await aTenant(api);
const organizationId = 'acme';
const grants = 120;

/** Grants of alice: more than one page of her export. */
beforeAll(async () => {
  await tenant.ok('/v2/organizations/add', { organizations: [{ organizationId }] });
  for (const first of [0, 60]) {
    const ids = Array.from({ length: grants / 2 }, (_, index) => `granted-${String(first + index)}`);
    const documents = ids.map((documentId) => ({ documentId }));
    await tenant.ok('/v2/organizations/documents/add', { organizationId, documents });
    const resources = ids.map((id) => ({ type: 'document', id, organizationId }));
    await tenant.ok('/v2/auth/permissions/add', { user: { userId: 'alice' }, permissions: { resources } });
  }
});

async function open(search: Readonly<Record<string, string>>): Promise<Page> {
  const { page } = await openConsole(browser, urlOf(search));
  await signIn(page, signInsOf(tenant).byKey);
  return page;
}

const urlOf = (search: Readonly<Record<string, string>>): string =>
  `${api.url}/console/keys/${tenant.keyId}/user?${new URLSearchParams(search).toString()}`;

const exportOf = (userId: string) => open({ organizationId, userId, tab: 'export' });

const isLaterPage = (route: Route): boolean =>
  (route.request().postDataJSON() as { readonly data: { readonly pageToken?: string } }).data.pageToken !==
  undefined;

browser.describe('the export of a user', () => {
  it('repeats a page that failed for a transient reason', async () => {
    const page = await exportOf('alice');
    let failures = 0;
    await page.route('**/users/data/get', async (route) => {
      if (!isLaterPage(route) || failures === 2) return route.continue();
      failures += 1;
      return failures === 1 ? route.abort() : route.fulfill({ status: 503, body: '' });
    });
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const file = await readFile(await (await downloading).path(), 'utf8');
    const pages = JSON.parse(file) as readonly { readonly permissions: readonly unknown[] }[];
    expect(pages.flatMap(({ permissions }) => permissions)).toHaveLength(grants);
    expect(failures).toBe(2);
  });

  it('ends when its tab is left', async () => {
    const page = await exportOf('alice');
    const reading = new Promise<void>((resolve) => {
      // Stays without a response.
      void page.route('**/users/data/get', (route) => (isLaterPage(route) ? resolve() : route.continue()));
    });
    await page.getByRole('button', { name: 'Export' }).click();
    await reading;
    const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/users/data/get'));
    await page.getByRole('link', { name: 'Deletion' }).click();
    await ended;
  });
});

browser.describe('the page of a user', () => {
  it('shows no dry run of another user', async () => {
    const page = await open({ userId: 'alice', tab: 'deletion' });
    await page.getByRole('button', { name: 'Start a dry run' }).click();
    const result = page.getByRole('region', { name: 'Result of the dry run' });
    await result.waitFor();
    await page.reload();
    await result.waitFor();
    await page.goto(page.url().replace('userId=alice', 'userId=bob'));
    await page.getByRole('heading', { name: 'bob', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Start a dry run' }).waitFor();
    expect(await result.count()).toBe(0);
  });

  it('shows no deletion of another user, and none as a dry run', async () => {
    const { data } = await tenant.ok<{ readonly jobId: string }>('/v2/users/data/delete', {
      userIds: ['alice'],
    });
    const deletion = { tab: 'deletion', deletionId: data.jobId };
    const page = await open({ userId: 'alice', jobsUserId: 'alice', ...deletion });
    const shown = page.getByRole('region', { name: 'Deletion' });
    await shown.waitFor();
    await page.goto(urlOf({ userId: 'bob', jobsUserId: 'bob', ...deletion }));
    await page.getByText('This job deletes other users.').waitFor();
    expect(await shown.count()).toBe(0);
    await page.goto(urlOf({ userId: 'alice', jobsUserId: 'alice', tab: 'deletion', dryRunId: data.jobId }));
    await page.getByText('This job is no dry run.').waitFor();
    expect(await page.getByRole('region', { name: 'Result of the dry run' }).count()).toBe(0);
  });
});
