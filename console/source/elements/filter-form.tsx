import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { useFollowingForm } from './following-form.ts';
import { formText } from './form-text.ts';

/** A form of filters. `send` gets a function that returns the text of a field by its name, undefined for an empty one. */
export function FilterForm({
  search,
  label,
  send,
  children,
}: {
  /** The members of the URL: when they change, the fields show them. */
  readonly search: object;
  /** Label of the button. */
  readonly label: string;
  readonly send: (textOf: (name: string) => string | undefined) => void;
  readonly children: ReactNode;
}): ReactNode {
  const ref = useFollowingForm(search);
  return (
    <search>
      <form
        className="filters wrapping"
        ref={ref}
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          send((name) => formText(form, name) || undefined);
        }}
      >
        {children}
        <Button type="submit">{label}</Button>
      </form>
    </search>
  );
}
