import { useEffect, useRef, type RefObject } from 'react';

/**
 * Resets each field of a form whose default value, a member of the URL, has changed. Other fields keep what was typed. The
 * form stays mounted, so that it keeps the focus.
 */
export function useFollowingForm(): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  const followed = useRef(new WeakMap<Element, string>());
  useEffect(() => {
    for (const field of form.current?.elements ?? []) {
      if (!(field instanceof HTMLInputElement)) continue;
      const { defaultValue } = field;
      const former = followed.current.get(field);
      if (former !== undefined && former !== defaultValue) field.value = defaultValue;
      followed.current.set(field, defaultValue);
    }
  });
  return form;
}
