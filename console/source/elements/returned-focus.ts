import { useEffect, useState } from 'react';

/** The element that opened the first of consecutive dialogs: another one may follow, for instance that of a new secret. */
let opener: Element | null = null;

/**
 * Returns the focus to the element that opened the dialogs, because the library knows only the previous dialog. When
 * that element is gone, the content of the page gets the focus.
 */
export function useReturnedFocus(): void {
  const [mine] = useState(() => {
    const { activeElement } = document;
    const dialog = activeElement?.closest('[role="dialog"]') ?? null;
    if (dialog === null) opener = activeElement;
    return opener;
  });
  useEffect(
    () => () => {
      // Wait for the next frame, in which the library returns the focus or the next dialog takes it.
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          if (document.activeElement !== document.body || document.querySelector('[role="dialog"]') !== null)
            return;
          const target =
            mine?.isConnected === true && mine !== document.body ? mine : document.querySelector('#content');
          if (target instanceof HTMLElement) target.focus();
        }),
      );
    },
    [mine],
  );
}
