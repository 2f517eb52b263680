import { afterAll, expect, it } from '@jest/globals';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { currentUnsubscribeKey, unsubscribeUrl } from '../../domain/signing/unsubscribe-tokens.ts';
import { startTestApi } from '../support/api.ts';
import { startTestBrowser } from '../support/browser.ts';

const [api, browser] = await Promise.all([startTestApi(), startTestBrowser()]);
afterAll(async () => {
  await browser.close();
  await api.close();
});

const violations = async (page: Page): Promise<readonly string[]> => {
  // The page forbids scripts, so the debugging protocol injects axe.
  await page.evaluate(axe.source);
  const result: { readonly violations: readonly { readonly id: string }[] } = await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] })`,
  );
  return result.violations.map(({ id }) => id);
};

browser.describe('the unsubscribe page', () => {
  it.each(['light', 'dark'] as const)(
    'has no violation of axe before and after its button (%s)',
    async (colorScheme) => {
      const key = await currentUnsubscribeKey(api.orm.em.fork(), api.keyRing);
      const subject = { apiKeyId: '1', organization: '1', user: '1', document: '1' };
      const page = await browser.newPage({ colorScheme, viewport: { width: 390, height: 800 } });
      const errors: string[] = [];
      page.on('console', (message) => void errors.push(message.text()));
      await page.goto(unsubscribeUrl(api.url, key, subject));
      expect(await violations(page)).toEqual([]);
      expect(await page.locator('a').count()).toBe(0);
      await page.getByRole('button', { name: 'Stop all e-mails from this organization' }).click();
      await page.getByText('You have been unsubscribed from the e-mails of this organization.').waitFor();
      expect(await violations(page)).toEqual([]);
      expect(errors).toEqual([]);
      await page.context().close();
    },
  );
});
