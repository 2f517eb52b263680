import type { Endpoint } from '../../../api/http/endpoint.ts';
import { resolved, sent, type Json } from '../../api/openapi-schemas.ts';
import { kinds } from '../../support/world-ids.ts';
import { oneOf, type Random } from '../permissions/random-worlds.ts';
import type { KnownPerson } from './free-json.ts';

/*
 * Random requests, made from the schemas of the operations: a new operation, and a new member of one, is filled from the
 * moment it is registered.
 */

/** The people in the records of a world. */
export interface Cast {
  /** Named by objects and keys alone: no row may keep them. */
  readonly named: KnownPerson;
  /** Named in free strings alone, which rows keep as declared. */
  readonly told: KnownPerson;
  /** Ids of users who stay. */
  readonly others: readonly string[];
}

const maxJsonDepth = 6;

/** Strings that are settings with a form, secrets, or the address of a user who stays, which is no free string. */
const formal = /url$|domain|secret|token|publicKey|apiKey$|bucketPath|^email$/i;

/** Switches that add records. Other switches keep the value of the example: they move or hide what is there. */
const adding = /^trigger|^notifyAll$|^explain$/u;

export class RandomRequests {
  readonly #random: Random;
  readonly #cast: Cast;
  /** The share of optional members that are sent. Smaller after each invalid request: some members exclude each other. */
  #share = 0;

  constructor(random: Random, cast: Cast) {
    this.#random = random;
    this.#cast = cast;
  }

  /** Returns the data of a request: that of an example, filled with people. Undefined when no filling is valid. */
  requestOf({ data, paths }: Endpoint, example: object): object | undefined {
    const schema = sent(paths.at(-1) ?? '');
    for (let tries = 0; tries < 20; tries += 1) {
      this.#share = 0.7 - tries * 0.03;
      const filled = this.#value(schema, example, '') as object;
      if (data.safeParse(filled).success) return filled;
    }
    return undefined;
  }

  /** Returns free JSON that names one person by objects and keys, and the other in strings, at any depth. */
  json(depth = 0): unknown {
    const { named, told } = this.#cast;
    const inside = (): unknown => this.json(depth + 1);
    const map = (key: string): object => ({ [key]: inside(), kept: 1 });
    const leaves = [() => this.text(), () => 1, () => null];
    const branches = [
      () => ({ userId: named.userId, name: named.name, about: inside() }),
      () => ({ userId: named.userId, email: oneOf(this.#random, named.addresses), list: [inside()] }),
      () => ({ userId: oneOf(this.#random, this.#cast.others), about: inside(), said: this.text() }),
      () => map(this.#nameAsKey()),
      () => ({
        [oneOf(this.#random, ['mentions', 'notifyUsers', 'notifyUsersByUserId'])]: map(this.#nameAsKey()),
      }),
      () => [inside(), inside()],
      () => ({ [oneOf(this.#random, ['in', '__proto__', 'id', 'about'])]: inside(), said: this.text() }),
      () => ({ told: told.userId, address: oneOf(this.#random, told.addresses) }),
    ];
    return oneOf(this.#random, depth < maxJsonDepth ? [...leaves.slice(0, 1), ...branches] : leaves)();
  }

  /** Returns a free string. */
  text(): string {
    const { userId, name, addresses } = this.#cast.told;
    const address = oneOf(this.#random, addresses);
    return oneOf(this.#random, [
      userId,
      address,
      `Ask ${userId}`,
      `{{${userId}}}`,
      `${name} <${address}>`,
      'kept',
    ]);
  }

  #nameAsKey(): string {
    const { userId, addresses } = this.#cast.named;
    const address = oneOf(this.#random, addresses);
    return oneOf(this.#random, [userId, address, address.toLowerCase(), address.toUpperCase()]);
  }

  #often(share: number): boolean {
    return this.#random() < share;
  }

  /** Returns a value of a schema; `example` when another one could be wrong; undefined when the member stays absent. */
  #value(part: Json, example: unknown, member: string): unknown {
    const schema = resolved(part);
    if (Array.isArray(schema['anyOf'] ?? schema['oneOf'])) return this.#choice(schema, example, member);
    const name = member.slice(member.lastIndexOf('.') + 1);
    if (this.#isUserId(member, name) && schema['type'] === 'string') return this.#userId();
    if (schema['enum'] !== undefined || Object.hasOwn(schema, 'const')) return example;
    switch (schema['type']) {
      case 'object':
        return this.#object(schema, example, name);
      case 'array':
        return this.#array(schema, example, member);
      case 'string':
        return this.#string(schema, example, member, name);
      case 'boolean':
        return example ?? (adding.test(name) ? this.#often(0.7) : undefined);
      case undefined:
        return this.#often(0.8) ? this.json() : example;
      default:
        return example;
    }
  }

  #choice(schema: Json, example: unknown, member: string): unknown {
    const options = ((schema['anyOf'] ?? schema['oneOf']) as Json[]).map(resolved);
    const matching = options.filter(({ type }) => type === typeOf(example));
    if (example !== undefined && matching.length !== 1) return example;
    const chosen = matching[0] ?? oneOf(this.#random, options);
    return this.#value(chosen, example, member);
  }

  #array(schema: Json, example: unknown, member: string): unknown {
    const { minItems } = schema as { minItems?: number };
    const items = (schema['items'] ?? {}) as Json;
    if (Array.isArray(example))
      return example.map((item) => this.#value(items, item, member) ?? (item as unknown));
    const made = [this.#value(items, undefined, member)].filter((item) => item !== undefined);
    return made.length < (minItems ?? 1) ? undefined : made;
  }

  #object(schema: Json, example: unknown, name: string): unknown {
    const before = (typeof example === 'object' ? (example ?? {}) : {}) as Json;
    const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Json>>;
    const required = (schema['required'] ?? []) as readonly string[];
    const members: [string, unknown][] = [];
    for (const [inner, part] of Object.entries(properties)) {
      const share = Object.hasOwn(before, inner) ? 0.9 : this.#share;
      if (!required.includes(inner) && !this.#often(share)) continue;
      const value = this.#value(part, before[inner], `${name}.${inner}`);
      if (value === undefined && required.includes(inner)) return undefined;
      if (value !== undefined) members.push([inner, value]);
    }
    for (const [inner, value] of Object.entries(before))
      if (!Object.hasOwn(properties, inner)) members.push([inner, value]);
    return this.#asOneUser(Object.fromEntries([...members, ...this.#openMembers(schema)]));
  }

  /** Members of the customer's own, where the schema permits them. */
  #openMembers(schema: Json): [string, unknown][] {
    const { additionalProperties: open } = schema;
    if (open === false) return [];
    const of = open === true || open === undefined ? {} : (open as Json);
    const ofOnePerson = Object.keys(of).length === 0 && !this.#describesUsers(schema) && this.#often(0.3);
    const person = ofOnePerson ? { userId: this.#userId(), name: this.text() } : {};
    const names = [...(this.#often(0.6) ? ['note'] : []), ...(this.#often(0.4) ? [this.#nameAsKey()] : [])];
    const others = names.map((name): [string, unknown] => [
      name,
      Object.keys(of).length === 0 ? this.json() : (this.#value(of, undefined, 'open.member') ?? true),
    ]);
    return [...Object.entries(person), ...others];
  }

  /** Whether the schema has members of its own that `#openMembers` would replace. */
  #describesUsers(schema: Json): boolean {
    const properties = schema['properties'] ?? {};
    return ['userId', 'name', 'email'].some((member) => Object.hasOwn(properties, member));
  }

  /** Makes the name and the address those of the user, and a contact beside the `userId` the same user. */
  #asOneUser(members: Record<string, unknown>): Record<string, unknown> {
    const { userId, name, email: _, contact, ...rest } = members;
    if (typeof userId !== 'string') return members;
    const { named } = this.#cast;
    const one = {
      userId,
      ...(name !== undefined && { name: userId === named.userId ? named.name : this.text() }),
      ...(userId === named.userId && { email: oneOf(this.#random, named.addresses) }),
    };
    if (typeof contact !== 'object') return { ...rest, ...one };
    return { ...rest, ...one, contact: this.#asOneUser({ ...contact, userId }) };
  }

  #isUserId(member: string, name: string): boolean {
    return kinds[member] === 'user' || kinds[name] === 'user' || name === 'lastUpdatedBy';
  }

  #userId(): string {
    return this.#often(0.4) ? this.#cast.named.userId : oneOf(this.#random, this.#cast.others);
  }

  #string(schema: Json, example: unknown, member: string, name: string): unknown {
    const isId = kinds[member] !== undefined || kinds[name] !== undefined || /Ids?$|^id$/u.test(name);
    const constrained = ['pattern', 'format', 'contentEncoding'].some((rule) => Object.hasOwn(schema, rule));
    if (isId || constrained || formal.test(name)) return example;
    const text = this.text();
    return this.#often(0.8) && text.length <= ((schema['maxLength'] as number | undefined) ?? Infinity)
      ? text
      : example;
  }
}

const typeOf = (value: unknown): string =>
  Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
