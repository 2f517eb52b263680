import { afterAll, expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { startTestBrowser } from '../../support/browser.ts';
import { openReference } from './reference-page.ts';

const [api, browser] = await Promise.all([startTestApi(), startTestBrowser()]);
afterAll(async () => {
  await browser.close();
  await api.close();
});

browser.describe('the reference page in Chromium', () => {
  it('opens the operation that the URL names, and shows its call', async () => {
    const { page, errors } = await openReference(browser, api.url, {
      hash: '#documents.migrate',
      complete: false,
    });
    const operation = page.locator('[id="documents.migrate"]');
    expect(await operation.getAttribute('open')).not.toBeNull();
    expect(await operation.locator('pre').first().textContent()).toContain(
      `curl -sS ${api.url}/v2/organizations/documents/migrate`,
    );
    expect(await operation.textContent()).toContain('"migrationId": "job_');
    expect(errors).toEqual([]);
  });
});
