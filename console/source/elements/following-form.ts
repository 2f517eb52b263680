import { useEffect, useRef, type RefObject } from 'react';

/**
 * A form whose fields begin with members of the URL. When these change, the fields show them; the form stays in place, so that
 * the focus does.
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
