import { useMemo, useState, type ReactNode } from 'react';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { schemaOf, schemasQuery, type Schemas } from '../../session/schemas.ts';
import { useAct } from '../../elements/act.ts';
import { Button } from '../../elements/button.tsx';
import { Failure, Queried } from '../../elements/states.tsx';
import { useKeyOfPage, type KeyOfPage } from '../../shell/key-of-page.ts';
import { FieldInput } from './field-input.tsx';
import {
  fieldsOf,
  hasEdit,
  keepsOthers,
  labelOf,
  notJson,
  sameValue,
  shownSecret,
  shownValue,
  updateOf,
  valueAt,
  valueOf,
  type Field,
} from './fields.ts';
import { sections } from './sections.ts';

type Name = keyof typeof sections;

const configurationQuery = ({ keyId, client }: KeyOfPage, name: Name) =>
  queryOptions({
    queryKey: ['key', keyId, 'configuration', name],
    queryFn: ({ signal }) => sections[name].read(client, signal),
    // Refreshed when the section opens, not at each focus of the window: saving compares with the stored values.
    staleTime: Infinity,
    refetchOnMount: 'always',
  });

/** A configuration as a form. Its fields, ranges and help texts come from the schema of its update. */
export function ConfigurationForm({ name }: { readonly name: Name }): ReactNode {
  const key = useKeyOfPage();
  const configuration = useQuery(configurationQuery(key, name));
  const schemas = useQuery(schemasQuery);
  return (
    <Queried query={schemas}>
      {(found) => (
        <Queried query={configuration}>
          {(loaded) => <Form key={key.keyId} of={key} name={name} loaded={loaded} schemas={found} />}
        </Queried>
      )}
    </Queried>
  );
}

interface FormProps {
  readonly of: KeyOfPage;
  readonly name: Name;
  readonly loaded: object;
  readonly schemas: Schemas;
}

type Edits = ReadonlyMap<Field, unknown>;

function Form({ of, name, loaded, schemas }: FormProps): ReactNode {
  // Edits refer to these fields, also after a refresh.
  const fields = useMemo(() => fieldsOf(schemas, schemaOf(schemas, sections[name].path)), [schemas, name]);
  const queries = useQueryClient();
  const [edits, setEdits] = useState<Edits>(new Map());
  // Edits keep the values that they began with: saving compares these with the stored ones.
  const [begunWith, setBegunWith] = useState(loaded);
  const base = edits.size === 0 ? loaded : begunWith;
  const [conflicts, setConflicts] = useState<readonly Field[]>([]);
  const setLoaded = async (configuration: object): Promise<void> => {
    const { queryKey } = configurationQuery(of, name);
    // A refresh that began before would bring the former values.
    await queries.cancelQueries({ queryKey });
    queries.setQueryData(queryKey, configuration);
  };
  const { mutation, run } = useAct(
    // A new list, not the mutable map: the idempotency key of a failed attempt belongs to these values.
    async (changed: readonly (readonly [Field, unknown])[], options) => {
      const { read, update } = sections[name];
      const current = await read(of.client);
      const foreign = changed.filter(([field, value]) => {
        const stored = valueOf(current, field);
        // An update whose response was lost has stored the edit.
        return !sameValue(stored, valueOf(base, field)) && !hasEdit(stored, value);
      });
      await setLoaded(current);
      setBegunWith(current);
      setConflicts(foreign.map(([field]) => field));
      if (foreign.length > 0) return 'conflict';
      const saved = await update(of.client, updateOf(changed), options);
      await setLoaded(saved);
      setBegunWith(saved);
      const sent = new Map(changed);
      setEdits((now) => new Map([...now].filter(([field, value]) => !isSaved(field, value, sent, saved))));
      return changed.some(([field, value]) => keepsOthers(valueOf(saved, field), value)) ? 'merged' : 'saved';
    },
  );
  const edit = (field: Field, value: unknown): void => {
    const next = new Map(edits);
    // While a save runs, it may replace the value that is stored now.
    if (value === undefined || (!mutation.isPending && isStored(field, value, base))) next.delete(field);
    else next.set(field, value);
    if (edits.size === 0) setBegunWith(loaded);
    setEdits(next);
  };
  const isInvalid = [...edits.values()].includes(notJson);
  const canSave = edits.size > 0 && !isInvalid;
  const warning = valueAt(loaded, ['warning']);
  return (
    <form
      className="panel narrow"
      onSubmit={(event) => {
        event.preventDefault();
        if (canSave) run([...edits]);
      }}
    >
      {fields.map((field) => (
        <div key={labelOf(field)} className="stack">
          <FieldInput
            field={field}
            stored={valueOf(base, field)}
            edit={edits.get(field)}
            change={(value) => edit(field, value)}
          />
          {conflicts.includes(field) && edits.has(field) && (
            <div className="notice warn" role="alert">
              Changed meanwhile to {shown(field, valueOf(base, field), 'another secret')}; yours is{' '}
              {shown(field, edits.get(field), 'a new secret')}. Saving again overwrites it.
            </div>
          )}
        </div>
      ))}
      {typeof warning === 'string' && <output className="notice warn">{warning}</output>}
      {mutation.isError && <Failure error={mutation.error} />}
      <div className="actions">
        <Button type="submit" look="primary" isDisabled={!canSave} isPending={mutation.isPending}>
          {edits.size === 0
            ? 'No changes'
            : `Save ${String(edits.size)} ${edits.size === 1 ? 'change' : 'changes'}`}
        </Button>
        <Button isDisabled={edits.size === 0} onPress={() => setEdits(new Map())}>
          Discard
        </Button>
      </div>
      <output className="quiet">
        {isInvalid && 'Nothing can be saved while a field is not JSON.'}
        {edits.size === 0 && resultText(mutation.data)}
      </output>
    </form>
  );
}

/** Whether an edit changes nothing. The API returns no secret to compare with. */
const isStored = (field: Field, value: unknown, configuration: object): boolean =>
  field.kind !== 'secret' && sameValue(value, valueOf(configuration, field));

/** Whether a save has stored an edit. Those that were made while it ran are still to be saved. */
const isSaved = (field: Field, value: unknown, sent: Edits, saved: object): boolean =>
  (sent.has(field) && sameValue(value, sent.get(field))) || isStored(field, value, saved);

/** The outcome of a save. The API merges maps, so an edit cannot remove their members. */
function resultText(outcome: 'conflict' | 'merged' | 'saved' | undefined): string | undefined {
  if (outcome === 'saved') return 'Saved.';
  if (outcome === 'merged')
    return 'Saved, but members that are left out keep their value: set them to false.';
  return undefined;
}

const shown = (field: Field, value: unknown, secret: string): string =>
  field.kind === 'secret' ? shownSecret(value, secret) : shownValue(value);
