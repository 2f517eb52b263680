import { afterAll, expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { startTestBrowser } from '../../support/browser.ts';

const [api, browser] = await Promise.all([startTestApi(), startTestBrowser()]);
afterAll(async () => {
  await browser.close();
  await api.close();
});

browser.describe('the reference page in Chromium', () => {
  it('opens the operation that the address names', async () => {
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`${api.url}/docs`);
    const first = page.locator('details.operation').first();
    const id = await first.getAttribute('id');
    await page.goto(`${api.url}/docs#${id ?? ''}`);
    await first.locator('pre').first().waitFor();
    expect(await first.locator('pre').first().textContent()).toContain(`curl -sS ${api.url}/`);
    expect(errors).toEqual([]);
  });
});
