import { resolved, type Schema, type Schemas } from '../../session/schemas.ts';

/** One member of a configuration, other than an object with known members. */
export interface Field {
  /** Names of the members from the top. */
  readonly path: readonly string[];
  /** The secret of a list that the field is for. */
  readonly entry?: SecretEntry;
  readonly schema: Schema;
  readonly kind: 'boolean' | 'choice' | 'integer' | 'text' | 'secret' | 'json';
}

/** An entry of a list of secrets, each with one name of a fixed set. */
interface SecretEntry {
  readonly nameMember: string;
  readonly name: string;
  readonly secretMember: string;
}

export const labelOf = ({ path, entry }: Field): string =>
  [...path, ...(entry === undefined ? [] : [entry.name])].join(' › ');

/** Returns the fields of a schema of an update, in its order. */
export function fieldsOf(schemas: Schemas, schema: Schema, path: readonly string[] = []): readonly Field[] {
  const found = resolved(schemas, schema);
  if (found.properties !== undefined && found.additionalProperties === false) {
    return Object.entries(found.properties).flatMap(([name, member]) =>
      fieldsOf(schemas, member, [...path, name]),
    );
  }
  const entries = secretEntriesOf(found);
  if (entries.length > 0) return entries.map((entry) => ({ path, entry, schema: found, kind: 'secret' }));
  return [{ path, schema: found, kind: kindOf(found) }];
}

function kindOf({ type, enum: choices, description }: Schema): Field['kind'] {
  if (type === 'boolean') return 'boolean';
  if (type === 'integer') return 'integer';
  if (choices !== undefined) return 'choice';
  if (type === 'string') return description?.includes(encrypted) === true ? 'secret' : 'text';
  return 'json';
}

const encrypted = 'Stored encrypted';

function secretEntriesOf({ items }: Schema): readonly SecretEntry[] {
  const members = Object.entries(items?.properties ?? {});
  const [nameMember, { enum: names = [] } = {}] = members.find(([, member]) => member.enum) ?? [];
  const [secretMember] = members.find(([, member]) => member.description?.includes(encrypted)) ?? [];
  if (nameMember === undefined || secretMember === undefined) return [];
  return names.map((name) => ({ nameMember, name, secretMember }));
}

/** Returns the member of a record at a path. */
export function valueAt(record: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as Readonly<Record<string, unknown>>)[name]
        : undefined,
    record,
  );
}

/** Returns the value of a field of a configuration. A secret that is not set is empty. */
export function valueOf(configuration: unknown, { path, entry }: Field): unknown {
  const value = valueAt(configuration, path);
  if (entry === undefined) return value;
  const listed: readonly unknown[] = Array.isArray(value) ? value : [];
  const found = listed.find((one) => valueAt(one, [entry.nameMember]) === entry.name);
  return valueAt(found, [entry.secretMember]) ?? '';
}

/** Returns an update with the values of these fields, and no others. */
export function updateOf(values: readonly (readonly [field: Field, value: unknown])[]): object {
  const update: Record<string, unknown> = {};
  for (const [{ path, entry }, value] of values) {
    let level = update;
    for (const name of path.slice(0, -1)) level = (level[name] ??= {}) as Record<string, unknown>;
    const name = path.at(-1) ?? '';
    if (entry === undefined) level[name] = value;
    else {
      const others = (level[name] ?? []) as readonly object[];
      level[name] = [...others, { [entry.nameMember]: entry.name, [entry.secretMember]: value }];
    }
  }
  return update;
}

/** The edit of a field whose text is not JSON. It cannot be saved. */
export const notJson = Symbol('not JSON');

export const sameValue = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** Whether a stored value has all that an edit would store: an update keeps members of a map that it does not send. */
export function hasEdit(stored: unknown, edit: unknown): boolean {
  if (!isMap(edit)) return sameValue(stored, edit);
  return Object.entries(edit as object).every(([name, value]) => hasEdit(valueAt(stored, [name]), value));
}

/** Whether a map keeps members that its edit leaves out. */
export const keepsOthers = (stored: unknown, edit: unknown): boolean =>
  isMap(stored) && !hasEdit(edit, stored);

const isMap = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const notSet = 'not set';

/** Returns a value as text for a reader. */
export const shownValue = (value: unknown): string =>
  value === undefined || value === null ? notSet : typeof value === 'string' ? value : JSON.stringify(value);

/** The mask of the API has up to four characters of the secret. */
const mask = /^.{0,4}\.{3}xxxx$/;

/** Returns the mask of a secret, or `set` for one that the API does not mask. */
export function shownSecret(secret: unknown, set: string): string {
  if (typeof secret !== 'string' || secret === '') return notSet;
  return mask.test(secret) ? secret : set;
}
