import { useId, useState, type ReactNode } from 'react';
import { Button } from '../../elements/button.tsx';
import { Help, SelectField, TextAreaField, TextField } from '../../elements/field.tsx';
import { labelOf, notJson, notSet, shownSecret, type Field } from './fields.ts';

interface InputProps {
  readonly field: Field;
  readonly stored: unknown;
  /** The edited value; undefined for a field that is not sent. */
  readonly edit: unknown;
  readonly change: (edit: unknown) => void;
}

/** The input of one member, by the kind of its schema. */
export function FieldInput(props: InputProps): ReactNode {
  const { field, stored, edit, change } = props;
  const { schema, kind } = field;
  const value = edit === undefined ? stored : edit;
  const label = labelOf(field);
  const help = helpOf(field);
  const labeled = { ...props, value, label, help };
  if (kind === 'boolean') return <BooleanInput {...labeled} />;
  if (kind === 'json') return <JsonInput {...labeled} />;
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
  if (kind === 'integer') return <IntegerInput {...labeled} />;
  if (kind === 'secret') return <SecretInput {...labeled} />;
  const text = { label, help, maxLength: schema.maxLength, value: typeof value === 'string' ? value : '' };
  // A field of one line would remove the line breaks of a key in PEM.
  return (schema.maxLength ?? 0) >= minLengthOfLines ? (
    <TextAreaField {...text} onChange={({ target }) => change(target.value)} />
  ) : (
    <TextField {...text} onChange={({ target }) => change(target.value)} />
  );
}

/** Texts that may be at least as long are edited in several lines. */
const minLengthOfLines = 4_096;

interface LabeledProps extends InputProps {
  /** The edited value, or the stored one. */
  readonly value: unknown;
  readonly label: string;
  readonly help: string;
}

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

/** Takes a new secret, or removes the stored one, of which it shows at most the API's mask. */
function SecretInput({ stored, edit, change, label, help }: LabeledProps): ReactNode {
  const isRemoved = edit === '';
  const shown = shownSecret(stored, 'Stored');
  return (
    <>
      <TextField
        label={label}
        help={help}
        type="password"
        autoComplete="new-password"
        placeholder={isRemoved ? 'Removed when you save' : shown}
        value={typeof edit === 'string' ? edit : ''}
        onChange={({ target }) => change(target.value === '' ? undefined : target.value)}
      />
      {shown !== notSet && (
        <div className="actions">
          <Button
            look="small"
            label={`${isRemoved ? 'Keep' : 'Remove'} ${label}`}
            onPress={() => change(isRemoved ? undefined : '')}
          >
            {isRemoved ? 'Keep' : 'Remove'}
          </Button>
        </div>
      )}
    </>
  );
}

/** Edits lists and maps with the customer's own names as JSON. */
function JsonInput({ stored, edit, change, label, help }: LabeledProps): ReactNode {
  // As typed, while there is an edit.
  const [text, setText] = useState('');
  const isWrong = edit === notJson;
  return (
    <TextAreaField
      label={label}
      help={isWrong ? 'This is not JSON, so it cannot be saved.' : help}
      aria-invalid={isWrong}
      value={edit === undefined ? JSON.stringify(stored ?? null, null, 2) : text}
      onChange={({ target }) => {
        setText(target.value);
        change(parsed(target.value));
      }}
    />
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return notJson;
  }
}

/** The description of the schema with its range, where it has one. */
function helpOf({ schema: { description = '', minimum, maximum } }: Field): string {
  if (minimum === undefined && maximum === undefined) return description;
  const shown = new Intl.NumberFormat('en');
  return `${description} From ${minimum === undefined ? '–' : shown.format(minimum)} to ${
    maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? 'any number' : shown.format(maximum)
  }.`;
}
