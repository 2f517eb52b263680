import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Request } from 'playwright-core';
import { startTestApi } from '../support/api.ts';
import { startTestBrowser } from '../support/browser.ts';
import { buildServedConsole } from '../support/built-console.ts';
import { operatorToken } from '../support/environment.ts';
import { aTenant } from '../support/factories.ts';
import { withLargeTables } from '../support/large-tables.ts';
import { aReceiver } from '../support/receiver.ts';
import { explain, statementsOf } from '../support/statements.ts';
import { expectAccessible, keyPathsOf, openLoaded, operatorPathsOf, recordPathsOf } from './all-pages.ts';
import { openConsole, signIn, type Credentials } from './console-page.ts';
import { furnished } from './furnished.ts';
import { actionsByKeyboard } from './keyboard.ts';

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

/** Every kind of session, each with its pages. */
let sessions: readonly (readonly [Credentials, readonly string[]])[];

beforeAll(async () => {
  const records = await furnished(api, receiver, 'Quarterly plan');
  const { apiKey, authToken, workspace } = records.tenant;
  const byWorkspace = { 'Workspace id': workspace.workspaceId, 'Auth token': workspace.authToken };
  sessions = [
    [byWorkspace, Object.values(recordPathsOf(records))],
    [{ 'API key': apiKey, 'Auth token': authToken }, keyPathsOf(records)],
    [{ 'Operator token': operatorToken }, operatorPathsOf(records)],
  ];
});

/** Whether a request loads data of the page. Excludes files, and the session, which the first page of a tab reads. */
const isCall = (request: Request): boolean =>
  request.resourceType() === 'fetch' && !request.url().endsWith('/console/session');

browser.describe('every page of the console', () => {
  it.each(['light', 'dark'] as const)('breaks no rule of axe in the %s theme', async (theme) => {
    for (const [credentials, pages] of sessions) {
      const { page, faults } = await openConsole(browser, `${api.url}/console`, { colorScheme: theme });
      await signIn(page, credentials);
      await expectAccessible(page, api.url, pages);
      expect(faults).toEqual([]);
    }
  });

  it('fits a screen of 390 pixels', async () => {
    for (const [credentials, pages] of sessions) {
      const { page } = await openConsole(browser, `${api.url}/console`, {
        viewport: { width: 390, height: 844 },
      });
      await signIn(page, credentials);
      for (const path of pages) {
        await openLoaded(page, `${api.url}/console${path}`);
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        expect({ path, width }).toEqual({ path, width: 390 });
      }
    }
  });

  it('makes every action focusable by Tab alone, visibly', async () => {
    for (const [credentials, pages] of sessions) {
      const { page } = await openConsole(browser, `${api.url}/console`);
      await signIn(page, credentials);
      for (const path of pages) {
        await openLoaded(page, `${api.url}/console${path}`);
        const { missed, invisible } = await actionsByKeyboard(page);
        expect({ path, missed, invisible }).toEqual({ path, missed: [], invisible: [] });
      }
    }
  });

  it('makes at most six calls to open', async () => {
    for (const [credentials, pages] of sessions) {
      const { page } = await openConsole(browser, `${api.url}/console`);
      await signIn(page, credentials);
      for (const path of pages) {
        // A set, because a refresh repeats the same call.
        const calls = new Set<string>();
        const note = (request: Request): void => {
          if (isCall(request)) calls.add(`${request.url()} ${request.postData() ?? ''}`);
        };
        page.on('request', note);
        await openLoaded(page, `${api.url}/console${path}`);
        // Wait for queries that start when another one has ended.
        await page.waitForLoadState('networkidle');
        page.off('request', note);
        expect({ path, tooMany: calls.size > 6 && [...calls] }).toEqual({ path, tooMany: false });
      }
    }
  });

  it('sends PostgreSQL statements that read tables by an index', async () => {
    await api.database.sql(
      `insert into workspace (public_id, name, owner_email, token_hash, token_enc)
       select 'filler-' || n, 'x', 'x', '', '' from generate_series(1, 20000) n`,
    );
    await withLargeTables(api.database, (await aTenant(api)).id);
    const sent = await statementsOf(async () => {
      for (const [credentials, pages] of sessions) {
        const { page } = await openConsole(browser, `${api.url}/console`);
        await signIn(page, credentials);
        for (const path of pages) await openLoaded(page, `${api.url}/console${path}`);
      }
    });
    const texts = new Set(
      sent.map(({ text }) => text).filter((text) => /^(?:select|with|insert|update|delete)/i.test(text)),
    );
    expect(texts.size).toBeGreaterThan(30);
    for (const text of texts)
      expect({ text, ...(await explain(api.database, { text })) }).toMatchObject({ text, wholeTables: [] });
  });
});
