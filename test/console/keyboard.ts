import type { Page } from 'playwright-core';

/** Actions of a page, by their names. */
export interface KeyboardFindings {
  /** Actions that Tab never focuses. */
  readonly missed: readonly string[];
  /** Actions whose focus is not visible. */
  readonly invisible: readonly string[];
}

/** Marks every visible action. Returns their number. */
const mark = `(() => {
  const actions = 'a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary, [role="button"]';
  let count = 0;
  for (const element of document.querySelectorAll(actions)) {
    // The link to the content is shown while it has the focus.
    if (!element.checkVisibility() || element.matches('.skip')) continue;
    element.dataset.keyboardAction = String(count++);
  }
  document.activeElement?.blur();
  return count;
})()`;

/** Returns the mark of the focused action, and whether its focus is visible. */
const focused = `(() => {
  const element = document.activeElement;
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
  const drawn = (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none';
  return { number: element.dataset.keyboardAction ?? null, drawn };
})()`;

const nameOf = (number: number): string => `(() => {
  const element = document.querySelector('[data-keyboard-action="${String(number)}"]');
  return element === null ? '' : element.tagName + ' ' + (element.getAttribute('aria-label') ?? element.textContent);
})()`;

interface Focused {
  readonly number: string | null;
  readonly drawn: boolean;
}

/** Presses Tab through a page from its start. Radio buttons and lists, which arrows move through, are not among its actions. */
export async function actionsByKeyboard(page: Page): Promise<KeyboardFindings> {
  const count = await page.evaluate<number>(mark);
  const seen = new Map<number, boolean>();
  // Scrollable regions are focusable, too.
  for (let presses = 0; presses < 2 * count + 20 && seen.size < count; presses += 1) {
    await page.keyboard.press('Tab');
    const { number, drawn } = await page.evaluate<Focused>(focused);
    // A time field consists of several elements, and the browser itself draws the focus of these.
    if (number !== null) seen.set(Number(number), drawn || seen.get(Number(number)) === true);
  }
  const named = async (numbers: readonly number[]) =>
    Promise.all(numbers.map((number) => page.evaluate<string>(nameOf(number))));
  const all = Array.from({ length: count }, (_, number) => number);
  return {
    missed: await named(all.filter((number) => !seen.has(number))),
    invisible: await named(all.filter((number) => seen.get(number) === false)),
  };
}
