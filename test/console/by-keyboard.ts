import { expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';

/** Max presses of Tab: more than the actions of any page. */
const maxPresses = 400;

/** Members of an element of the page that the functions below use there. */
interface PageElement {
  matches(selectors: string): boolean;
  querySelectorAll(selectors: string): { readonly length: number };
}

export const isFocused = (element: PageElement): boolean => element.matches(':focus');
const valuesOf = (options: readonly { readonly value: string }[]): string[] =>
  options.map(({ value }) => value);
const actionsOf = (dialog: PageElement): number =>
  dialog.querySelectorAll('a[href], button:not(:disabled), input, select, textarea').length;
const focusInDialog = `document.activeElement?.closest('[role="dialog"]') !== null && document.activeElement !== document.body`;

/** How a dialog differs in its use of the keyboard. */
interface Opened {
  /** Escape does not close the dialog, because it shows a secret once. */
  readonly keep?: boolean;
  /** Its opener is gone afterwards, or another page is shown. */
  readonly leaves?: boolean;
}

/** Uses a page without a pointer: by Tab, arrows, Enter, Space and Escape only. */
export class Keyboard {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  button(name: string | RegExp, within: Page | Locator = this.page): Locator {
    return within.getByRole('button', { name, exact: true }).first();
  }

  link(name: string | RegExp, within: Page | Locator = this.page): Locator {
    return within.getByRole('link', { name, exact: true }).first();
  }

  /** Presses Tab until the element has the focus. */
  async reach(target: Locator): Promise<void> {
    await target.waitFor();
    for (let presses = 0; presses < maxPresses; presses += 1) {
      if (await target.evaluate(isFocused)) return;
      await this.page.keyboard.press('Tab');
    }
    throw new Error(`Tab never reaches ${String(target)}.`);
  }

  async press(target: Locator, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
    await this.reach(target);
    await this.page.keyboard.press(key);
  }

  /** Replaces the text of a field by typing. */
  async fill(label: string | RegExp, text: string): Promise<void> {
    const field = this.page.getByLabel(label, { exact: true }).first();
    await this.reach(field);
    await this.page.keyboard.press('ControlOrMeta+A');
    await this.page.keyboard.type(text);
  }

  /** Moves through the values of a list by the arrows. Expects that the list keeps the focus. */
  async choose(label: string, value: string): Promise<void> {
    const list = this.page.getByRole('combobox', { name: label, exact: true });
    await this.reach(list);
    const values = await list.locator('option').evaluateAll(valuesOf);
    for (;;) {
      const before = await list.inputValue();
      if (before === value) break;
      await this.page.keyboard.press(
        values.indexOf(before) < values.indexOf(value) ? 'ArrowDown' : 'ArrowUp',
      );
      await eventually(async () => expect(await list.inputValue()).not.toBe(before));
      expect([label, await list.evaluate(isFocused)]).toEqual([label, true]);
    }
    expect(await list.inputValue()).toBe(value);
  }

  /**
   * Opens a dialog, checks that the focus moves into it, stays in it and returns to its opener on Escape. Then opens
   * it again, runs `act` in it, and expects it closed with the focus at its opener.
   */
  async inDialog(
    opener: Locator,
    act: (dialog: Locator) => Promise<void>,
    { keep = false, leaves = false }: Opened = {},
  ): Promise<void> {
    await this.press(opener);
    await this.holdsFocus();
    await this.page.keyboard.press('Escape');
    const dialog = this.page.getByRole('dialog');
    await dialog.waitFor({ state: 'hidden' });
    await this.returnsTo(opener);
    await this.page.keyboard.press('Space');
    await this.holdsFocus();
    await act(dialog);
    if (keep) await this.keepsSecret();
    await dialog.waitFor({ state: 'hidden' });
    if (!leaves) await this.returnsTo(opener);
  }

  /** Expects a secret that Escape does not close, copies it and closes it. */
  private async keepsSecret(): Promise<void> {
    const shown = this.page.getByText('Copy it now. The console shows it only once.');
    await shown.waitFor();
    await this.holdsFocus();
    await this.page.keyboard.press('Escape');
    expect(await shown.isVisible()).toBe(true);
    await this.press(this.button('Copy the secret'));
    await this.button('Copied').waitFor();
    await this.press(this.button('I have copied it'));
  }

  /** Expects the focus in the dialog, also after Tab and Shift+Tab. */
  private async holdsFocus(): Promise<void> {
    const dialog = this.page.getByRole('dialog');
    await dialog.waitFor();
    const inside = (): Promise<boolean> => this.page.evaluate<boolean>(focusInDialog);
    await eventually(async () => expect(await inside()).toBe(true));
    const count = await dialog.evaluate(actionsOf);
    for (const key of ['Tab', 'Shift+Tab']) {
      for (let presses = 0; presses <= Math.min(count, 60); presses += 1) {
        await this.page.keyboard.press(key);
        expect([key, presses, await inside()]).toEqual([key, presses, true]);
      }
    }
  }

  private async returnsTo(opener: Locator): Promise<void> {
    await eventually(async () => expect(await opener.evaluate(isFocused)).toBe(true));
  }
}
