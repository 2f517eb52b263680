import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startTestApi } from '../support/api.ts';
import { startTestBrowser } from '../support/browser.ts';
import { buildServedConsole } from '../support/built-console.ts';
import { eventually } from '../support/eventually.ts';
import { aReceiver } from '../support/receiver.ts';
import { openLoaded, organizationId, recordPathsOf, type Furnished } from './all-pages.ts';
import { openConsole, signIn } from './console-page.ts';
import { furnished } from './furnished.ts';

const [api, browser, receiver] = await Promise.all([
  startTestApi({ environment: { STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' } }),
  startTestBrowser(),
  aReceiver(),
  buildServedConsole(),
]);
afterAll(async () => {
  await browser.close();
  await api.close();
  await receiver.close();
});

let records: Furnished;
let page: Page;

const credentials = () => ({
  'Workspace id': records.tenant.workspace.workspaceId,
  'Auth token': records.tenant.workspace.authToken,
});

beforeAll(async () => {
  records = await furnished(api, receiver, 'Quarterly plan');
  ({ page } = await openConsole(browser, `${api.url}/console`));
  await signIn(page, credentials());
});

type PathName = keyof ReturnType<typeof recordPathsOf>;

/** Pages with filters: the label of one, what the reader enters, and the member of the URL that holds it. */
const texts: readonly (readonly [PathName, string, string])[] = [
  ['organizations', 'Id or name begins with', 'find'],
  ['organization', 'Document id or name begins with', 'find'],
  ['endpoint', 'Organization or document id', 'channel'],
  ['notifications', 'Recipient’s id', 'userId'],
  ['auditLog', 'Action', 'action'],
  ['auditLog', 'Actor', 'actor'],
  ['users', 'Name or e-mail contains', 'find'],
];
const choices: readonly (readonly [PathName, string, string, string])[] = [
  ['endpoint', 'Status', 'status', 'failed'],
  ['endpoint', 'Event type', 'eventType', 'comment.add'],
  ['jobs', 'Kind', 'kind', 'cascade'],
  ['allJobs', 'Status', 'status', 'completed'],
  ['notifications', 'Channel', 'channel', 'slack'],
  ['notifications', 'Status', 'status', 'failed'],
  ['auditLog', 'Kind of actor', 'actorKind', 'workspace'],
  ['auditLog', 'Outcome', 'outcome', 'denied'],
];

const inUrl = (member: string): string | null => new URL(page.url()).searchParams.get(member);

/** Expects the filter in the URL and its field after back, forward and reload. */
async function expectKept(label: string, member: string, [before, after]: readonly [string, string]) {
  const field = page.getByLabel(label, { exact: true });
  const shows = async (value: string): Promise<void> => {
    await eventually(() => expect(inUrl(member) ?? '').toBe(value));
    await eventually(async () => expect(await field.inputValue()).toBe(value));
  };
  await shows(after);
  await page.goBack();
  await shows(before);
  await page.goForward();
  await shows(after);
  await page.reload();
  await shows(after);
}

/** Returns the page and its filters in a canonical order, because the router reorders them. */
function pageOf(url: string): readonly string[] {
  const { pathname, searchParams } = new URL(url);
  searchParams.sort();
  return [pathname, searchParams.toString()];
}

browser.describe('the console', () => {
  it.each(texts)(
    'keeps the filter of the page %s by text, %s, over back, forward and reload',
    async (name, label, member) => {
      await openLoaded(page, `${api.url}/console${recordPathsOf(records)[name]}`);
      const field = page.getByLabel(label, { exact: true });
      await field.fill('plan');
      await field.press('Enter');
      await expectKept(label, member, ['', 'plan']);
    },
  );

  it.each(choices)(
    'keeps the filter of the page %s by choice, %s, over back, forward and reload',
    async (name, label, member, value) => {
      await openLoaded(page, `${api.url}/console${recordPathsOf(records)[name]}`);
      await page.getByLabel(label, { exact: true }).selectOption(value);
      await expectKept(label, member, ['', value]);
    },
  );

  it('keeps the user of a document and the organization of a user', async () => {
    const { document, user } = recordPathsOf(records);
    await openLoaded(page, `${api.url}/console${document}`);
    const userId = page.getByLabel('User id', { exact: true });
    await userId.fill('grace');
    await userId.press('Enter');
    await expectKept('User id', 'userId', ['ada', 'grace']);
    await openLoaded(page, `${api.url}/console${user}`);
    const organization = page.getByLabel('Organization id', { exact: true });
    await organization.fill('other');
    await organization.press('Enter');
    await expectKept('Organization id', 'organizationId', [organizationId, 'other']);
  });

  it('returns to every page after a new sign-in, with its filters', async () => {
    for (const path of Object.values(recordPathsOf(records))) {
      const url = `${api.url}/console${path}`;
      await page.context().clearCookies();
      await page.goto(url);
      await signIn(page, credentials());
      await page.locator('h1').waitFor();
      await page.getByText('Loading …').first().waitFor({ state: 'hidden' });
      expect(pageOf(page.url())).toEqual(pageOf(url));
      expect([path, await page.getByRole('heading', { name: 'No such page' }).count()]).toEqual([path, 0]);
    }
  });
});
