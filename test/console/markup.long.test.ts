import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startTestApi } from '../support/api.ts';
import { startTestBrowser } from '../support/browser.ts';
import { buildServedConsole } from '../support/built-console.ts';
import { aReceiver } from '../support/receiver.ts';
import { documentId, openLoaded, organizationId, recordPathsOf, type Furnished } from './all-pages.ts';
import { openConsole, signIn } from './console-page.ts';
import { furnished } from './furnished.ts';
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

/** Joins all payloads to texts of at most the max length of a name. */
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

/** Elements that no page of the console contains, or that have script attributes. */
const foreign = `[...document.querySelectorAll('*')].filter((element) =>
  element.matches('#content :is(script, style, link, base, meta, iframe, object, embed, img, image, video, audio, math, template, marquee)') ||
  element.getAttributeNames().some((name) => /^on/.test(name) || (!['title', 'value'].includes(name) && /^javascript:/i.test(element.getAttribute(name))))
).map((element) => element.outerHTML)`;

/** Pages whose content shows the texts. The other pages are also searched for markup. */
const withText: ReadonlySet<string> = new Set([
  'organizations',
  'foundOrganizations',
  'organization',
  'foundDocuments',
  'folder',
  'document',
  'threads',
  'activity',
  'data',
  'notificationsOfDocument',
  'events',
  'migration',
  'users',
  'foundUsers',
  'user',
  'endpoint',
  'message',
  'apiKeys',
  'sessions',
]);

/** The beginning of a text as pages show it, and as JSON shows it. */
const beginnings = (text: string): readonly string[] => [
  text.slice(0, 40),
  JSON.stringify(text).slice(1, 41),
];

browser.describe('payloads that a customer or a receiver stored', () => {
  it('are shown as text on every page', async () => {
    for (const [index, records] of tenants.entries()) {
      const { workspaceId, authToken } = records.tenant.workspace;
      // The page of sessions shows the browser's User-Agent.
      const userAgent = texts[index] ?? '';
      const { page, faults } = await openConsole(browser, `${api.url}/console`, { userAgent });
      await signIn(page, { 'Workspace id': workspaceId, 'Auth token': authToken });
      for (const [name, path] of Object.entries(recordPathsOf(records))) {
        await openLoaded(page, `${api.url}/console${path}`);
        await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`);
        expect([path, await page.evaluate<readonly string[]>(foreign)]).toEqual([path, []]);
        if (!withText.has(name)) continue;
        const shown = (await page.locator('#content').innerText()).replaceAll(/\s+/g, ' ');
        expect([name, beginnings(texts[index] ?? '').some((text) => shown.includes(text))]).toEqual([
          name,
          true,
        ]);
      }
      expect(faults).toEqual([]);
    }
  });

  it('are shown as text when they are ids in the URL and in lists', async () => {
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
    await tenant.ok('/v2/organizations/folders/add', {
      organizationId,
      folders: payloads.map((payload) => ({ folderId: payload, folderName: payload })),
    });
    const location = { organizationId, documentId };
    for (const payload of payloads)
      await tenant.ok('/v2/crdt/add', { ...location, editorId: payload, type: 'text', data: payload });
    const { page, faults } = await openConsole(browser, `${api.url}/console`);
    await signIn(page, { 'API key': tenant.apiKey, 'Auth token': tenant.authToken });
    const key = `${api.url}/console/keys/${tenant.keyId}`;
    for (const payload of payloads) {
      const pages: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
        ['user', { organizationId, userId: payload }],
        ['document', { organizationId, documentId: payload, userId: payload }],
        ['document', { ...location, tab: 'data', editorId: payload }],
        ['organization', { organizationId, folderId: payload }],
        ['notifications', { tab: 'explain', organizationId, userId: payload, notificationId: payload }],
      ];
      for (const [name, search] of pages) {
        await openLoaded(page, `${key}/${name}?${new URLSearchParams(search).toString()}`);
        expect([name, payload, await page.evaluate<readonly string[]>(foreign)]).toEqual([name, payload, []]);
      }
    }
    for (const list of ['users', 'organization'])
      await openLoaded(page, `${key}/${list}?organizationId=${organizationId}`);
    expect(await page.evaluate<readonly string[]>(foreign)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
