import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import axe from 'axe-core';
import { HtmlValidate } from 'html-validate';
import { startTestBrowser } from '../../support/browser.ts';
import { sampleEmails } from './sample-messages.ts';

const browser = await startTestBrowser();
afterAll(browser.close);

const kinds = Object.entries(sampleEmails);
const widths = [390, 800];
const backgrounds = {
  light: { page: 'rgb(244, 245, 247)', message: 'rgb(255, 255, 255)' },
  dark: { page: 'rgb(20, 23, 29)', message: 'rgb(29, 33, 41)' },
};

/** The folder for the pictures of `docs/`; undefined unless MESSAGE_PICTURES is set. */
const pictures = process.env['MESSAGE_PICTURES'];

describe('the HTML of an e-mail', () => {
  it.each(kinds)('is valid: %s', async (_kind, { html }) => {
    // The rule on the length of titles serves search engines, which do not read e-mails.
    const rules = { 'long-title': 'off' } as const;
    const validator = new HtmlValidate({ extends: ['html-validate:recommended'], rules });
    const { results } = await validator.validateString(html);
    const found = results.flatMap(({ messages }) => messages);
    expect(found.map(({ ruleId, line, message }) => [ruleId, line, message])).toEqual([]);
  });
});

browser.describe('an e-mail in a browser', () => {
  it.each(kinds)('fits its page and is legible, in light and dark: %s', async (kind, { html }) => {
    const page = await browser.newPage();
    for (const [colorScheme, colors] of Object.entries(backgrounds) as [keyof typeof backgrounds, object][]) {
      await page.emulateMedia({ colorScheme });
      for (const width of widths) {
        await page.setViewportSize({ width, height: 400 });
        await page.setContent(html);
        expect(await page.evaluate(widest)).toBeLessThanOrEqual(width);
        expect(await page.evaluate(colorsOfPage)).toEqual(colors);
        if (pictures !== undefined && ['single', 'digest'].includes(kind))
          await page.screenshot({
            path: join(pictures, `message-${kind}-${String(width)}-${colorScheme}.png`),
            fullPage: true,
          });
      }
      await page.evaluate(axe.source);
      const { violations }: { readonly violations: readonly { readonly id: string }[] } = await page.evaluate(
        `axe.run(document, { resultTypes: ['violations'] })`,
      );
      expect(violations.map(({ id }) => id)).toEqual([]);
    }
  });
});

/** Returns the right edges of the widest element and of its overflow. */
const widest = `Math.max(document.documentElement.scrollWidth,
  ...[...document.querySelectorAll('body *')].map((element) => Math.floor(element.getBoundingClientRect().right)))`;

const colorsOfPage = `({
  page: getComputedStyle(document.body).backgroundColor,
  message: getComputedStyle(document.querySelector('main')).backgroundColor })`;
