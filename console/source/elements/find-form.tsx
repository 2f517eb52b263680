import { useId, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { useFollowingForm } from './following-form.ts';
import { formText } from './form-text.ts';

/** Max characters of a search by the beginning of an id or a name. */
export const maxPrefixLength = 100;

/** A search form, which writes the search to the URL when it is sent. */
export function FindForm({
  label,
  value,
  find,
  maxLength,
  action = 'Find',
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly maxLength?: number;
  readonly action?: string;
  readonly find: (text: string | undefined) => void;
}): ReactNode {
  const id = useId();
  const ref = useFollowingForm();
  return (
    <search>
      <form
        className="filters"
        ref={ref}
        onSubmit={(event) => {
          event.preventDefault();
          const text = formText(event.currentTarget, 'text');
          find(text === '' ? undefined : text);
        }}
      >
        <div className="field">
          <label htmlFor={id}>{label}</label>
          <input
            id={id}
            name="text"
            type="search"
            defaultValue={value}
            maxLength={maxLength}
            autoComplete="off"
            spellCheck={false}
          />
        </div>
        <Button type="submit">{action}</Button>
        {value !== undefined && <Button onPress={() => find(undefined)}>Clear</Button>}
      </form>
    </search>
  );
}
