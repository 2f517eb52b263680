import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { useFollowingForm } from './following-form.ts';
import { formText } from './form-text.ts';

/** A form of filters. Its fields follow the URL. `send` gets a function that returns the text of a field by its name, undefined for an empty one. */
export function FilterForm({
  label,
  send,
  children,
}: {
  /** Label of the button. */
  readonly label: string;
  readonly send: (textOf: (name: string) => string | undefined) => void;
  readonly children: ReactNode;
}): ReactNode {
  const ref = useFollowingForm();
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
