import { lacking, resolved, shapeOf, type Json, type Limit, type Shape } from './schema-shape.ts';

/** A request may accept more than before; a response may contain more than before. */
type Direction = 'request' | 'response';

/** Recursive schemas, such as folders in folders, are compared down to here. */
const maxDepth = 12;

/**
 * Returns a line for each change of an OpenAPI document that breaks a caller of the earlier document. These are removed
 * operations, members and values, new required members, narrower requests and wider responses. Operation ids, prose,
 * component names and new members of responses are free to change.
 */
export function breakingChanges(before: Json, now: Json): readonly string[] {
  const paths = (document: Json) => document['paths'] as Readonly<Record<string, Json>>;
  return Object.entries(paths(before)).flatMap(([path, item]) =>
    methodsOf(item).flatMap((method) => {
      const operation = (paths(now)[path] ?? {})[method] as Json | undefined;
      if (operation === undefined) return [`${path}: the operation is removed`];
      const sides = {
        before: { document: before, at: item[method] as Json },
        now: { document: now, at: operation },
      };
      return operationChanges(sides).map((change) => `${path} ${change}`);
    }),
  );
}

/** An object within a document. */
interface Part {
  readonly document: Json;
  readonly at: Json;
}
interface Sides {
  readonly before: Part;
  readonly now: Part;
}

const methodsOf = (item: Json): readonly string[] =>
  Object.keys(item).filter((name) => ['get', 'post', 'put', 'delete', 'patch'].includes(name));

function operationChanges({ before, now }: Sides): readonly string[] {
  return [
    ...removed('credentials', credentialsOf(before), credentialsOf(now)),
    ...removed('status', successes(before).keys(), successes(now).keys()),
    ...bodyChanges('request', requestOf(before), requestOf(now)),
    ...[...successes(before)].flatMap(([status, response]) => {
      const after = successes(now).get(status);
      if (after === undefined) return [];
      return [
        ...removed(`${status} header`, headersOf(response), headersOf(after)),
        ...bodyChanges('response', response, after),
      ];
    }),
  ];
}

/** The headers that a caller sends together, with the scopes that they need. */
function credentialsOf({ document, at }: Part): readonly string[] {
  const schemes = resolved('#/components/securitySchemes', document) as Readonly<
    Record<string, { name: string }>
  >;
  const alternatives = (at['security'] ?? []) as readonly Json[];
  return alternatives.map((names) =>
    Object.entries(names)
      .map(([name, scopes]) => [schemes[name]?.name ?? name, ...(scopes as readonly string[])].join(' '))
      .sort()
      .join(' and '),
  );
}

const following = ({ document, at }: Part): Part =>
  typeof at['$ref'] === 'string' ? { document, at: resolved(at['$ref'], document) } : { document, at };

const requestOf = ({ document, at }: Part): Part =>
  following({ document, at: (at['requestBody'] ?? {}) as Json });

function successes({ document, at }: Part): ReadonlyMap<string, Part> {
  const responses = Object.entries(at['responses'] as Readonly<Record<string, Json>>);
  return new Map(
    responses
      .filter(([status]) => status.startsWith('2'))
      .map(([status, response]) => [status, following({ document, at: response })]),
  );
}

const headersOf = ({ at }: Part): readonly string[] => Object.keys(at['headers'] ?? {});

const removed = (kind: string, before: Iterable<string>, now: Iterable<string>): readonly string[] =>
  lacking(new Set(before), new Set(now)).map((name) => `${kind} ${name} is removed`);

function bodyChanges(direction: Direction, before: Part, now: Part): readonly string[] {
  const content = ({ at }: Part) => (at['content'] ?? {}) as Readonly<Record<string, { schema: Json }>>;
  const required = direction === 'request' && now.at['required'] === true && before.at['required'] !== true;
  return [
    ...(required ? ['request is now required'] : []),
    ...removed(`${direction} media type`, Object.keys(content(before)), Object.keys(content(now))),
    ...Object.entries(content(before)).flatMap(([type, { schema }]) => {
      const after = content(now)[type]?.schema;
      if (after === undefined) return [];
      const sides = {
        before: { document: before.document, at: schema },
        now: { document: now.document, at: after },
      };
      return schemaChanges(direction, sides, '', 0).map((change) => `${direction} ${change}`);
    }),
  ];
}

/** A change of a schema, or of the member of this name. */
type Change = readonly [member: string | undefined, text: string];

function schemaChanges(
  direction: Direction,
  { before, now }: Sides,
  at: string,
  depth: number,
): readonly string[] {
  if (depth > maxDepth) return [];
  const old = shapeOf(before.at, before.document);
  const shape = shapeOf(now.at, now.document);
  const below = (was: Json | undefined, is: Json | undefined, name: string): readonly string[] => {
    if (was === undefined || is === undefined) return [];
    const sides = { before: { ...before, at: was }, now: { ...now, at: is } };
    return schemaChanges(direction, sides, name, depth + 1);
  };
  const named = (name: string): string => (at === '' ? name : `${at}.${name}`);
  const changes = [
    ...eitherWayChanges(old, shape),
    ...(direction === 'request' ? requestChanges(old, shape) : responseChanges(old, shape)),
  ];
  return [
    ...changes.map(([member, text]) => `${member === undefined ? at : named(member)}: ${text}`),
    ...[...old.members].flatMap(([name, was]) => below(was, shape.members.get(name), named(name))),
    ...below(old.items, shape.items, `${at}[]`),
    ...below(old.rest, shape.rest, named('*')),
  ];
}

function eitherWayChanges(old: Shape, now: Shape): readonly Change[] {
  const members = [...old.members.keys()].filter((name) => !now.members.has(name));
  // A list of values that becomes open removes no value.
  const values = old.values && now.values ? lacking(old.values, now.values) : [];
  return [
    ...members.map((name): Change => [name, 'the member is removed']),
    ...values.map((value): Change => [undefined, `the value ${value} is removed`]),
  ];
}

function requestChanges(old: Shape, now: Shape): readonly Change[] {
  const closed = old.values === undefined && now.values !== undefined;
  return [
    ...lacking(old.types, now.types).map((type): Change => [undefined, `${type} is no longer accepted`]),
    ...(closed ? [[undefined, 'only listed values are accepted now'] as const] : []),
    ...lacking(now.required, old.required).map((name): Change => [
      name,
      old.members.has(name) ? 'the member is now required' : 'a new member is required',
    ]),
    ...narrowedLimits(old, now).map((limit): Change => [undefined, `${limit} is narrower`]),
  ];
}

function responseChanges(old: Shape, now: Shape): readonly Change[] {
  const present = lacking(old.required, now.required).filter((name) => now.members.has(name));
  return [
    ...lacking(now.types, old.types).map((type): Change => [undefined, `may now be ${type}`]),
    ...present.map((name): Change => [name, 'the member may now be absent']),
  ];
}

/** Compares only limits that both documents state: a limit stated for the first time may have applied before. */
const narrowedLimits = (old: Shape, now: Shape): readonly string[] =>
  Object.entries(old.limits).flatMap(([name, was]) => {
    const is = now.limits[name as Limit];
    if (is === undefined) return [];
    return (name.startsWith('max') ? is < was : is > was) ? [name] : [];
  });
