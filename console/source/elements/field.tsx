import { Fragment, useId, type ReactNode } from 'react';

/** The help text of a field. Names between backticks are shown as code, as in the descriptions of the API. */
export function Help({ id, text }: { readonly id: string; readonly text: string }): ReactNode {
  return (
    <span className="help" id={id}>
      {text.split('`').map((part, index) => (
        // The fragments have no id, and their order never changes.
        // oxlint-disable-next-line react/no-array-index-key
        <Fragment key={index}>{index % 2 === 1 ? <code>{part}</code> : part}</Fragment>
      ))}
    </span>
  );
}

export function TextField({
  label,
  help,
  ...input
}: {
  readonly label: string;
  readonly help?: string | undefined;
} & Omit<React.ComponentProps<'input'>, 'id' | 'className'>): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        autoComplete="off"
        spellCheck={false}
        aria-describedby={help === undefined ? undefined : `${id}-help`}
        {...input}
      />
      {help !== undefined && <Help id={`${id}-help`} text={help} />}
    </div>
  );
}

/** A field of several lines. */
export function TextAreaField({
  label,
  help,
  ...input
}: {
  readonly label: string;
  readonly help: string;
} & Omit<React.ComponentProps<'textarea'>, 'id' | 'className'>): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea id={id} rows={4} spellCheck={false} aria-describedby={`${id}-help`} {...input} />
      <Help id={`${id}-help`} text={help} />
    </div>
  );
}

/** A choice of few values; the empty value is shown as `none`. */
export function SelectField<Value extends string>({
  label,
  value,
  values,
  none,
  help,
  onChange,
}: {
  readonly label: string;
  readonly help?: string;
  readonly value: Value | undefined;
  readonly values: readonly (Value | readonly [value: Value, label: string])[];
  readonly none?: string;
  readonly onChange: (value: Value | undefined) => void;
}): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        aria-describedby={help === undefined ? undefined : `${id}-help`}
        value={value ?? ''}
        onChange={({ target }) => onChange(target.value === '' ? undefined : (target.value as Value))}
      >
        {none !== undefined && <option value="">{none}</option>}
        {values.map((entry) => {
          const [own, shown] = typeof entry === 'string' ? [entry, entry] : entry;
          return (
            <option key={own} value={own}>
              {shown}
            </option>
          );
        })}
      </select>
      {help !== undefined && <Help id={`${id}-help`} text={help} />}
    </div>
  );
}
