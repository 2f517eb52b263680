import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startTestApi } from '../support/api.ts';
import { startTestBrowser } from '../support/browser.ts';
import { buildServedConsole } from '../support/built-console.ts';
import { anEndedDelivery } from '../support/deliveries.ts';
import { aListeningTenant, anEndpoint } from '../support/webhooks.ts';
import { documentId, expectAccessible, openLoaded, organizationId, pathsOf, userId } from './all-pages.ts';
import { openConsole, signIn } from './console-page.ts';
import { payloads } from './markup.ts';

const [api, browser] = await Promise.all([startTestApi(), startTestBrowser(), buildServedConsole()]);
afterAll(async () => {
  await browser.close();
  await api.close();
});

const tenant = await aListeningTenant(api);
const paths = Object.values(pathsOf(tenant.keyId));
const credentials = {
  'Workspace id': tenant.workspace.workspaceId,
  'Auth token': tenant.workspace.authToken,
};
/** All payloads in one text, and a text for each. */
const whole = payloads.join(' ').slice(0, 900);

/** Writes the payloads to texts of each record that a customer stores. */
beforeAll(async () => {
  await tenant.ok('/v2/organizations/add', {
    organizations: [
      { organizationId, organizationName: whole },
      ...payloads.map((payload, number) => ({
        organizationId: `organization-${String(number)}`,
        organizationName: payload,
      })),
    ],
  });
  await tenant.ok('/v2/organizations/documents/add', {
    organizationId,
    documents: [
      { documentId, documentName: whole },
      ...payloads.map((payload) => ({ documentId: payload, documentName: payload })),
    ],
  });
  await tenant.ok('/v2/users/add', {
    organizationId,
    users: [{ userId, name: whole }, ...payloads.map((payload) => ({ userId: payload, name: payload }))],
  });
  await tenant.ok('/v2/notifications/add', {
    organizationId,
    documentId,
    notificationId: 'moved',
    actionUser: { userId },
    displayHeadlineMessageTemplate: whole,
    displayBodyMessage: whole,
    notifyUsers: [{ userId }],
  });
  await anEndedDelivery(api, { tenantId: tenant.id, notificationId: 'moved', userId });
  await anEndpoint(api, tenant, 'https://example.com/', { description: whole });
});

browser.describe('every page of the console', () => {
  it.each(['light', 'dark'] as const)(
    'breaks no rule of axe and runs no markup in the %s theme',
    async (theme) => {
      const { page, faults } = await openConsole(browser, `${api.url}/console`, { colorScheme: theme });
      await signIn(page, credentials);
      await expectAccessible(page, api.url, paths);
      expect(faults).toEqual([]);
    },
  );

  it('fits a screen of 390 pixels', async () => {
    const { page } = await openConsole(browser, `${api.url}/console`, {
      viewport: { width: 390, height: 844 },
    });
    await signIn(page, credentials);
    for (const path of paths) {
      await openLoaded(page, `${api.url}/console${path}`);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect({ path, width }).toEqual({ path, width: 390 });
    }
  });

  it('shows payloads in ids of a URL as text', async () => {
    const { page, faults } = await openConsole(browser, `${api.url}/console`);
    await signIn(page, credentials);
    for (const payload of payloads) {
      const search = new URLSearchParams({ organizationId, userId: payload, documentId: payload });
      await openLoaded(page, `${api.url}/console/keys/${tenant.keyId}/user?${search.toString()}`);
    }
    expect(faults).toEqual([]);
  });

  it('names a rate limit and a response after 10 seconds, and recovers from both', async () => {
    const { page } = await openConsole(browser, `${api.url}/console`);
    await signIn(page, credentials);
    const shown = `${api.url}/console${pathsOf(tenant.keyId).organizations}`;
    let refused = true;
    await page.route('**/console/api/v*/organizations/get', async (route) => {
      if (!refused) return route.fallback();
      return route.fulfill({
        status: 429,
        headers: { 'retry-after': '2' },
        json: { error: { status: 'RESOURCE_EXHAUSTED', message: 'Too many requests.' } },
      });
    });
    await page.goto(shown);
    await page.getByText('The rate limit is reached.').waitFor();
    refused = false;
    await page
      .getByRole('link', { name: payloads[0] ?? '' })
      .first()
      .waitFor();
    await page.unroute('**/console/api/v*/organizations/get');
    await page.route('**/console/api/v*/organizations/get', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 10_000));
      return route.fallback();
    });
    await page.goto(shown);
    await page.getByText('The API is slow: still waiting for its response …').first().waitFor();
    await page
      .getByRole('link', { name: payloads[0] ?? '' })
      .first()
      .waitFor();
  });
});
