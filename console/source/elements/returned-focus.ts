import { useEffect, useState } from 'react';

/** What opened the dialogs that are shown: a dialog may be followed by another one, such as that of a new secret. */
let opener: Element | null = null;

/**
 * Returns the focus to what opened a dialog, should the library not have: it knows only the dialog before. Where the opener is
 * gone, the content of the page gets the focus.
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
      // The library returns the focus in the next frame, and a dialog that follows takes it there.
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
