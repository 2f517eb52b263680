import { resolved, type Schema, type Schemas } from '../../session/schemas.ts';

/** One member of a configuration, other than an object with known members. */
export interface Field {
  /** Names of the members from the top. */
  readonly path: readonly string[];
  readonly schema: Schema;
  readonly kind: 'boolean' | 'choice' | 'integer' | 'text' | 'secret' | 'secrets' | 'json';
}

/** Returns the fields of a schema of an update, in its order. */
export function fieldsOf(schemas: Schemas, schema: Schema, path: readonly string[] = []): readonly Field[] {
  const found = resolved(schemas, schema);
  if (found.properties !== undefined && found.additionalProperties === false) {
    return Object.entries(found.properties).flatMap(([name, member]) =>
      fieldsOf(schemas, member, [...path, name]),
    );
  }
  return [{ path, schema: found, kind: kindOf(found) }];
}

function kindOf(schema: Schema): Field['kind'] {
  const { type, enum: choices, description } = schema;
  if (type === 'boolean') return 'boolean';
  if (type === 'integer') return 'integer';
  if (choices !== undefined) return 'choice';
  // Secrets are returned masked: the form sends a new one, never the mask.
  if (type === 'string') return description?.includes(encrypted) === true ? 'secret' : 'text';
  return secretsOf(schema) === undefined ? 'json' : 'secrets';
}

const encrypted = 'Stored encrypted';

/** A list of secrets, each with one name of a fixed set. */
export interface NamedSecrets {
  readonly nameMember: string;
  readonly names: readonly string[];
  readonly secretMember: string;
}

export function secretsOf({ items }: Schema): NamedSecrets | undefined {
  const members = Object.entries(items?.properties ?? {});
  const [nameMember, { enum: names = [] } = {}] = members.find(([, member]) => member.enum) ?? [];
  const [secretMember] = members.find(([, member]) => member.description?.includes(encrypted)) ?? [];
  if (nameMember === undefined || secretMember === undefined) return undefined;
  return { nameMember, names, secretMember };
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

/** Returns a record with the members at their paths, and no others. */
export function recordOf(values: readonly (readonly [path: readonly string[], value: unknown])[]): object {
  const record: Record<string, unknown> = {};
  for (const [path, value] of values) {
    let level = record;
    for (const name of path.slice(0, -1)) level = (level[name] ??= {}) as Record<string, unknown>;
    level[path.at(-1) ?? ''] = value;
  }
  return record;
}

export const sameValue = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** Whether a stored value has all that an edit would store: an update keeps members of a map that it does not send. */
export function hasEdit(stored: unknown, edit: unknown): boolean {
  if (typeof edit !== 'object' || edit === null || Array.isArray(edit)) return sameValue(stored, edit);
  return Object.entries(edit).every(([name, value]) => hasEdit(valueAt(stored, [name]), value));
}

/** Returns a value as text for a reader. */
export const shownValue = (value: unknown): string =>
  value === undefined || value === null
    ? 'not set'
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);
