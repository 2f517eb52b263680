import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startTestApi } from '../support/api.ts';
import { startTestBrowser } from '../support/browser.ts';
import { buildServedConsole } from '../support/built-console.ts';
import { aReceiver } from '../support/receiver.ts';
import { openLoaded, organizationId, recordPathsOf } from './all-pages.ts';
import { openConsole, signIn } from './console-page.ts';
import { furnished, type Furnished } from './furnished.ts';
import { payloads } from './markup.ts';

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

/** All payloads, joined to texts of at most as many characters as a name may have. */
function joinedPayloads(): readonly string[] {
  const texts: string[] = [];
  for (const payload of payloads) {
    const last = texts.at(-1);
    if (last === undefined || last.length + payload.length >= 200) texts.push(payload);
    else texts.splice(-1, 1, `${last} ${payload}`);
  }
  return texts;
}

const texts = joinedPayloads();
let tenants: readonly Furnished[];

beforeAll(async () => {
  const made: Furnished[] = [];
  for (const text of texts) made.push(await furnished(api, receiver, text));
  tenants = made;
});

/** Elements that no page of the console has, or that act by an attribute. */
const foreign = `[...document.querySelectorAll('*')].filter((element) =>
  element.matches('#content :is(script, style, link, base, meta, iframe, object, embed, img, image, video, audio, math, template, marquee)') ||
  element.getAttributeNames().some((name) => /^on/.test(name) || /^javascript:/i.test(element.getAttribute(name)))
).map((element) => element.outerHTML)`;

/** Pages that show none of the texts. */
const withoutText: ReadonlySet<string> = new Set([
  'jobs',
  'domains',
  'settings',
  'eventTypes',
  'sessions',
  'preferences',
  'export',
  'allJobs',
  'explain',
  'events',
]);

browser.describe('payloads that a customer or a receiver stored', () => {
  it('are text on every page', async () => {
    for (const [index, records] of tenants.entries()) {
      const { workspaceId, authToken } = records.tenant.workspace;
      const { page, faults } = await openConsole(browser, `${api.url}/console`);
      await signIn(page, { 'Workspace id': workspaceId, 'Auth token': authToken });
      for (const [name, path] of Object.entries(recordPathsOf(records))) {
        if (withoutText.has(name)) continue;
        await openLoaded(page, `${api.url}/console${path}`);
        await page.locator('details').evaluateAll('(all) => all.forEach((one) => (one.open = true))');
        expect([path, await page.evaluate<readonly string[]>(foreign)]).toEqual([path, []]);
        const shown = (await page.locator('body').innerText()).replaceAll(/\s+/g, ' ');
        expect([name, shown.includes((texts[index] ?? '').slice(0, 40))]).toEqual([name, true]);
      }
      expect(faults).toEqual([]);
    }
  });

  it('are text where they are ids, in the URL and in lists', async () => {
    const [{ tenant } = { tenant: undefined }] = tenants;
    if (tenant === undefined) throw new Error('No tenant was furnished.');
    await tenant.ok('/v2/organizations/add', {
      organizations: payloads.map((payload) => ({ organizationId: payload, organizationName: payload })),
    });
    await tenant.ok('/v2/organizations/documents/add', {
      organizationId,
      documents: payloads.map((payload) => ({ documentId: payload, documentName: payload })),
    });
    await tenant.ok('/v2/users/add', {
      organizationId,
      users: payloads.map((payload) => ({ userId: payload, name: payload })),
    });
    const { page, faults } = await openConsole(browser, `${api.url}/console`);
    await signIn(page, { 'API key': tenant.apiKey, 'Auth token': tenant.authToken });
    for (const payload of payloads) {
      const search = new URLSearchParams({ organizationId, userId: payload, documentId: payload });
      for (const name of ['user', 'document', 'users', 'organization'])
        await openLoaded(page, `${api.url}/console/keys/${tenant.keyId}/${name}?${search.toString()}`);
      expect([payload, await page.evaluate<readonly string[]>(foreign)]).toEqual([payload, []]);
    }
    expect(faults).toEqual([]);
  });
});
