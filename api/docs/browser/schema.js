import { element, prose } from './elements.js';

const prefix = '#/components/schemas/';
const nameOf = (schema) => (typeof schema.$ref === 'string' ? schema.$ref.slice(prefix.length) : undefined);

/** Resolves a `$ref` to a named schema; returns any other schema unchanged. */
export const resolved = (schemas, schema) => schemas[nameOf(schema)] ?? schema;

const optionsOf = (schema) => schema.anyOf ?? schema.oneOf;
const isObject = (schema) => schema.type === 'object' || schema.properties !== undefined;

function typeOf(schemas, sent) {
  const schema = resolved(schemas, sent);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (nameOf(sent) !== undefined && isObject(schema)) return nameOf(sent);
  const options = optionsOf(schema);
  if (options) return [...new Set(options.map((option) => typeOf(schemas, option)))].join(' | ');
  if (schema.type === 'array') return arrayOf(typeOf(schemas, schema.items ?? {}));
  if (schema.type === undefined && schema.allOf) return typeOf(schemas, schema.allOf[0]);
  return [schema.type ?? (isObject(schema) ? 'object' : 'any')].flat().join(' | ');
}

const arrayOf = (type) => `array of ${type.includes(' | ') ? `(${type})` : type}`;

const counted = (number) => number.toLocaleString('en-US');

/** `1 to 30`, `at least 1`, `at most 30`. */
function range(from, to, unit = '') {
  if (from === undefined && to === undefined) return undefined;
  if (from === undefined) return `at most ${counted(to)}${unit}`;
  return to === undefined ? `at least ${counted(from)}${unit}` : `${counted(from)} to ${counted(to)}${unit}`;
}

/** JSON Schema has the safe integers as the limits of every integer. */
const limit = (value) => (Math.abs(value) === Number.MAX_SAFE_INTEGER ? undefined : value);

function rulesOf(schema) {
  return [
    schema.format,
    range(limit(schema.minimum), limit(schema.maximum)),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' items'),
    schema.pattern && `matches \`${schema.pattern}\``,
    schema.default !== undefined && `default ${JSON.stringify(schema.default)}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** Returns the members of an object, of a list's items, of a map's values or of every option. */
function membersOf(schemas, sent) {
  const schema = resolved(schemas, sent);
  if (schema.type === 'array') return membersOf(schemas, schema.items ?? {});
  const own = Object.entries(schema.properties ?? {}).map(([name, member]) => ({
    name,
    member,
    required: schema.required?.includes(name) ?? false,
  }));
  const others = schema.additionalProperties;
  if (typeof others === 'object' && Object.keys(others).length > 0)
    own.push({ name: '<any name>', member: others, required: false });
  const parts = [...(schema.allOf ?? []), ...(optionsOf(schema) ?? [])];
  const all = [...own, ...parts.flatMap((part) => membersOf(schemas, part))];
  return [...new Map(all.toReversed().map((one) => [one.name, one])).values()].reverse();
}

/** Returns the descriptions of rules between members. */
function rulesBetween(schemas, sent) {
  const schema = resolved(schemas, sent);
  if (schema.type === 'array') return rulesBetween(schemas, schema.items ?? {});
  return (schema.allOf ?? []).map(({ description }) => description).filter(Boolean);
}

/** Marks required members of requests and optional members of responses. */
export const marks = {
  request: (required) => (required ? 'required' : ''),
  response: (required) => (required ? '' : 'may be absent'),
};

function memberItem(schemas, { name, member, required }, mark, above) {
  const known = resolved(schemas, member);
  const item = element('li', {}, element('code', {}, name), ' ');
  item.append(element('span', { class: 'type' }, typeOf(schemas, member)));
  if (mark(required)) item.append(' ', element('span', { class: 'mark' }, mark(required)));
  const rules = rulesOf(known);
  if (rules) item.append(' ', element('span', { class: 'rules' }, ...prose(rules)));
  const description = member.description ?? known.description;
  if (description) item.append(element('p', {}, ...prose(description)));
  // A recursive schema is shown once.
  if (!above.includes(known)) item.append(memberList(schemas, member, mark, [...above, known]) ?? '');
  return item;
}

/** Returns the list of an object's members, or undefined where there are none. */
export function memberList(schemas, schema, mark, above = []) {
  const members = membersOf(schemas, schema);
  if (members.length === 0) return undefined;
  const items = members.map((member) => memberItem(schemas, member, mark, above));
  const together = rulesBetween(schemas, schema).map((rule) => element('li', { class: 'rules' }, rule));
  return element('ul', { class: 'members' }, ...items, ...together);
}

/** Returns names and descriptions of all members, for the search. */
export function memberTexts(schemas, schema, above = []) {
  return membersOf(schemas, schema).flatMap(({ name, member }) => {
    const known = resolved(schemas, member);
    const below = above.includes(known) ? [] : memberTexts(schemas, member, [...above, known]);
    return [{ name, description: member.description ?? known.description ?? '' }, ...below];
  });
}
