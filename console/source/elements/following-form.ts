import { useEffect, useRef, type RefObject } from 'react';

/**
 * Resets the form to the members of the URL when these change. The form stays mounted, so that it keeps the focus.
 */
export function useFollowingForm(search: unknown): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  const followed = JSON.stringify(search);
  const shown = useRef(followed);
  useEffect(() => {
    if (shown.current === followed) return;
    shown.current = followed;
    for (const field of form.current?.elements ?? [])
      if (field instanceof HTMLInputElement) field.value = field.defaultValue;
  }, [followed]);
  return form;
}
