import { useId, type ReactNode } from 'react';

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
      {help !== undefined && (
        <span className="help" id={`${id}-help`}>
          {help}
        </span>
      )}
    </div>
  );
}

/** A choice of few values; the empty value is shown as `none`. */
export function SelectField<Value extends string>({
  label,
  value,
  values,
  none,
  onChange,
}: {
  readonly label: string;
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
    </div>
  );
}
