/** A JSON object of a document. */
export type Json = Readonly<Record<string, unknown>>;

const limits = ['maxLength', 'maxItems', 'maximum', 'minLength', 'minItems', 'minimum'] as const;
export type Limit = (typeof limits)[number];

type Names = ReadonlySet<string>;

/** The values that a schema accepts, in a canonical form. Nested values are schemas. */
export interface Shape {
  /** JSON types. A number is an `integer` or a `fraction`. */
  readonly types: Names;
  /** JSON of the accepted values. Undefined: every value of the types. */
  readonly values: Names | undefined;
  readonly members: ReadonlyMap<string, Json>;
  readonly required: Names;
  readonly items: Json | undefined;
  /** The schema of members that have no name. */
  readonly rest: Json | undefined;
  readonly limits: Readonly<Partial<Record<Limit, number>>>;
}

const everyType = ['null', 'boolean', 'object', 'array', 'string', 'integer', 'fraction'];

const anything: Shape = {
  types: new Set(everyType),
  values: undefined,
  members: new Map(),
  required: new Set(),
  items: undefined,
  rest: undefined,
  limits: {},
};

/**
 * Returns the shape of a schema of the document. Alternatives are joined into one shape, so a member that only one of
 * them requires is optional. Rules between members (`not`, `if`, alternatives of required members) are left out.
 */
export function shapeOf(schema: Json, document: Json): Shape {
  const { $ref, allOf = [], anyOf, oneOf } = schema as Composed;
  const shape = (part: Json): Shape => shapeOf(part, document);
  const parts = [
    ownShape(schema),
    ...($ref === undefined ? [] : [shape(resolved($ref, document))]),
    ...allOf.map(shape),
    ...[anyOf, oneOf]
      .filter((alternatives) => alternatives !== undefined)
      .map((alternatives) =>
        alternatives.map((part) => (isRule(part) ? anything : shape(part))).reduce(either),
      ),
  ];
  return parts.reduce(both);
}

interface Composed {
  readonly $ref?: string;
  readonly allOf?: readonly Json[];
  readonly anyOf?: readonly Json[];
  readonly oneOf?: readonly Json[];
}

/** Follows a reference within the document. */
export function resolved(reference: string, document: Json): Json {
  const names = reference.replace(/^#\//, '').split('/');
  return names.reduce<Json>((part, name) => {
    const found = part[name.replaceAll('~1', '/').replaceAll('~0', '~')];
    if (typeof found !== 'object' || found === null) throw new Error(`Nothing at ${reference}.`);
    return found as Json;
  }, document);
}

/** A fragment that constrains members of the schema around it, without a type of its own. */
function isRule(schema: Json): boolean {
  const { anyOf = [], oneOf = [], allOf = [] } = schema as Composed;
  const typed = ['type', 'enum', 'const', '$ref'].some((name) => Object.hasOwn(schema, name));
  return !typed && [...anyOf, ...oneOf, ...allOf].every(isRule);
}

function ownShape(schema: Json): Shape {
  const { properties = {}, required = [], items, additionalProperties: rest } = schema as OwnKeywords;
  const values = Object.hasOwn(schema, 'const')
    ? [schema['const']]
    : (schema['enum'] as unknown[] | undefined);
  return {
    types: typesOf(schema, values),
    values: values && new Set(values.map((value) => JSON.stringify(value))),
    members: new Map(Object.entries(properties)),
    required: new Set(required),
    items: typeof items === 'object' ? items : undefined,
    rest: typeof rest === 'object' ? rest : undefined,
    limits: Object.fromEntries(
      limits.flatMap((name) => (typeof schema[name] === 'number' ? [[name, schema[name]]] : [])),
    ),
  };
}

interface OwnKeywords {
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
  readonly items?: Json | boolean;
  readonly additionalProperties?: Json | boolean;
}

function typesOf({ type }: Json, values: readonly unknown[] | undefined): Names {
  if (type === undefined) return new Set(values?.map(typeOfValue) ?? everyType);
  const named = (Array.isArray(type) ? type : [type]) as readonly string[];
  return new Set(named.flatMap((name) => (name === 'number' ? ['integer', 'fraction'] : [name])));
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Accepts what both shapes accept. */
function both(one: Shape, other: Shape): Shape {
  const { values } = one;
  return {
    types: common(one.types, other.types),
    values: values && other.values ? common(values, other.values) : (values ?? other.values),
    members: joined(one.members, other.members, 'allOf'),
    required: all(one.required, other.required),
    items: joinedSchema(one.items, other.items, 'allOf'),
    rest: joinedSchema(one.rest, other.rest, 'allOf'),
    limits: { ...one.limits, ...other.limits },
  };
}

/** Accepts what either shape accepts. */
function either(one: Shape, other: Shape): Shape {
  return {
    types: all(one.types, other.types),
    values: eitherValues(one, other),
    members: joined(one.members, other.members, 'anyOf'),
    required: eitherRequired(one, other),
    items: joinedSchema(one.items, other.items, 'anyOf'),
    rest: joinedSchema(one.rest, other.rest, 'anyOf'),
    limits: { ...one.limits, ...other.limits },
  };
}

/** Values beside an alternative of null, objects or lists stay a restriction of the scalars. */
function eitherValues(one: Shape, other: Shape): Names | undefined {
  if (one.values && other.values) return all(one.values, other.values);
  const [restricted, free] = one.values ? [one.values, other] : [other.values, one];
  const scalar = ['boolean', 'string', 'integer', 'fraction'].some((type) => free.types.has(type));
  return scalar ? undefined : restricted;
}

/** Alternatives other than objects require no members and remove none. */
function eitherRequired(one: Shape, other: Shape): Names {
  if (!other.types.has('object')) return one.required;
  return one.types.has('object') ? common(one.required, other.required) : other.required;
}

function joined(
  one: ReadonlyMap<string, Json>,
  other: ReadonlyMap<string, Json>,
  by: 'allOf' | 'anyOf',
): ReadonlyMap<string, Json> {
  const names = new Set([...one.keys(), ...other.keys()]);
  return new Map([...names].map((name) => [name, joinedSchema(one.get(name), other.get(name), by) ?? {}]));
}

const joinedSchema = (one: Json | undefined, other: Json | undefined, by: string): Json | undefined =>
  one && other ? { [by]: [one, other] } : (one ?? other);

const common = (one: Names, other: Names): Names => new Set([...one].filter((name) => other.has(name)));
const all = (one: Names, other: Names): Names => new Set([...one, ...other]);

/** The names of the first set that the second lacks. */
export const lacking = (one: Names, other: Names): readonly string[] =>
  [...one].filter((name) => !other.has(name));
