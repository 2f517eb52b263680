import { describe, expect, it } from '@jest/globals';
import { startTestBrowser } from './browser.ts';

describe('a test browser', () => {
  const missing = { CHROMIUM_PATH: '/nowhere/chromium' };

  it('skips its tests where no browser starts', async () => {
    const browser = await startTestBrowser(missing);
    expect(browser.describe).toBe(describe.skip);
    await browser.close();
  });

  it('fails its tests where a browser is required and none starts', async () => {
    const started = startTestBrowser({ ...missing, TEST_BROWSER: 'required' });
    await expect(started).rejects.toThrow('Chromium: not started');
  });
});
