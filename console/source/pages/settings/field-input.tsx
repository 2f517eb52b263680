import { useId, useState, type ReactNode } from 'react';
import { Help, SelectField, TextField } from '../../elements/field.tsx';
import { secretsOf, shownValue, type Field } from './fields.ts';

interface InputProps {
  readonly field: Field;
  readonly value: unknown;
  readonly edited: boolean;
  /** Sets the edited value; with undefined, the field is not sent. */
  readonly change: (value: unknown) => void;
}

/** The input of one member, by the kind of its schema. */
export function FieldInput(props: InputProps): ReactNode {
  const { field, value, change } = props;
  const { schema, kind } = field;
  const label = field.path.join(' › ');
  const help = helpOf(field);
  if (kind === 'boolean') return <BooleanInput {...props} label={label} help={help} />;
  if (kind === 'json') return <JsonInput {...props} label={label} help={help} />;
  if (kind === 'choice') {
    return (
      <SelectField
        label={label}
        help={help}
        value={typeof value === 'string' ? value : undefined}
        values={schema.enum ?? []}
        // A value can be replaced, not removed.
        {...(typeof value !== 'string' && { none: 'Not set' })}
        onChange={change}
      />
    );
  }
  if (kind === 'integer') return <IntegerInput {...props} label={label} help={help} />;
  if (kind === 'secrets') return <SecretInputs {...props} label={label} help={help} />;
  if (kind === 'secret') return <SecretInput {...props} label={label} help={help} />;
  return (
    <TextField
      label={label}
      help={help}
      maxLength={schema.maxLength}
      value={typeof value === 'string' ? value : ''}
      onChange={({ target }) => change(target.value)}
    />
  );
}

type LabeledProps = InputProps & { readonly label: string; readonly help: string };

function BooleanInput({ value, change, label, help }: LabeledProps): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <span className="choice">
        <input
          id={id}
          type="checkbox"
          aria-describedby={`${id}-help`}
          checked={value === true}
          onChange={({ target }) => change(target.checked)}
        />
        <label htmlFor={id}>{label}</label>
      </span>
      <Help id={`${id}-help`} text={help} />
    </div>
  );
}

/** Changes nothing while it is empty, and stays empty until it loses focus, so that a number can be retyped. */
function IntegerInput({ field: { schema }, value, change, label, help }: LabeledProps): ReactNode {
  const [emptied, setEmptied] = useState(false);
  return (
    <TextField
      label={label}
      help={help}
      type="number"
      step={1}
      min={schema.minimum}
      max={schema.maximum}
      value={typeof value === 'number' && !emptied ? value : ''}
      onChange={({ target }) => {
        setEmptied(target.value === '');
        change(target.value === '' ? undefined : target.valueAsNumber);
      }}
      onBlur={() => setEmptied(false)}
    />
  );
}

/** Shows the mask of the stored secret, and takes a new one. */
function SecretInput({ value, edited, change, label, help }: LabeledProps): ReactNode {
  return (
    <TextField
      label={label}
      help={help}
      type="password"
      autoComplete="new-password"
      placeholder={edited ? '' : shownValue(value)}
      value={edited && typeof value === 'string' ? value : ''}
      onChange={({ target }) => change(target.value === '' ? undefined : target.value)}
    />
  );
}

/** One secret for each name. Only new secrets are sent. */
function SecretInputs({ field, value, edited, change, label, help }: LabeledProps): ReactNode {
  const secrets = secretsOf(field.schema);
  if (secrets === undefined) return null;
  const { nameMember, names, secretMember } = secrets;
  const listed = (Array.isArray(value) ? value : []) as readonly Readonly<Record<string, unknown>>[];
  const secretOf = (name: string): unknown =>
    listed.find((entry) => entry[nameMember] === name)?.[secretMember];
  const set = (name: string, secret: unknown): void => {
    const others = edited ? listed.filter((entry) => entry[nameMember] !== name) : [];
    const next = secret === undefined ? others : [...others, { [nameMember]: name, [secretMember]: secret }];
    change(next.length === 0 ? undefined : next);
  };
  return (
    <>
      {names.map((name) => (
        <SecretInput
          key={name}
          field={field}
          value={secretOf(name)}
          edited={edited && secretOf(name) !== undefined}
          change={(secret) => set(name, secret)}
          label={`${label} › ${name}`}
          help={help}
        />
      ))}
    </>
  );
}

/** Edits lists and maps with the customer's own names as JSON. */
function JsonInput({ value, edited, change, label, help }: LabeledProps): ReactNode {
  const id = useId();
  const [text, setText] = useState<string>();
  const [wrong, setWrong] = useState(false);
  const shown = edited || wrong ? (text ?? '') : JSON.stringify(value ?? null, null, 2);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        rows={4}
        spellCheck={false}
        aria-invalid={wrong}
        aria-describedby={`${id}-help`}
        value={shown}
        onChange={({ target }) => {
          setText(target.value);
          try {
            change(JSON.parse(target.value));
            setWrong(false);
          } catch {
            setWrong(true);
            change(undefined);
          }
        }}
      />
      <Help id={`${id}-help`} text={wrong ? 'This is not JSON, so it is not sent.' : help} />
    </div>
  );
}

/** The description of the schema with its range, where it has one. */
function helpOf({ schema: { description = '', minimum, maximum } }: Field): string {
  if (minimum === undefined && maximum === undefined) return description;
  const shown = new Intl.NumberFormat('en');
  return `${description} From ${minimum === undefined ? '–' : shown.format(minimum)} to ${
    maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? 'any number' : shown.format(maximum)
  }.`;
}
