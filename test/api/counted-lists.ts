import { z } from 'zod';
import { endpoints } from '../../api/endpoints.ts';
import type { Endpoint } from '../../api/http/endpoint.ts';
import { freshId } from '../support/factories.ts';
import { kinds, type WorldIds } from '../support/world-ids.ts';
import { inFull } from '../support/tier.ts';
import { lower, type Data } from './counted-requests.ts';

interface JsonSchema {
  readonly type?: string;
  readonly maxItems?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly anyOf?: readonly JsonSchema[];
}

export const schemaOf = ({ data }: Endpoint): JsonSchema =>
  z.toJSONSchema(data, { io: 'input', unrepresentable: 'any' }) as JsonSchema;

/** The lists of a request by their path, like `permissions.resources` and `notifications.0.notifyUsers`, with their max. */
function listsOf(schema: JsonSchema, path: readonly string[] = []): [string, number | undefined][] {
  const { type, items, maxItems, properties = {}, anyOf = [] } = schema;
  return [
    ...(type === 'array' ? [[path.join('.'), maxItems] as [string, number | undefined]] : []),
    ...(items === undefined ? [] : listsOf(items, [...path, '0'])),
    ...Object.entries(properties).flatMap(([name, member]) => listsOf(member, [...path, name])),
    ...anyOf.flatMap((member) => listsOf(member, path)),
  ];
}

export const countedPath = ({ paths }: Endpoint): string => paths.at(-1) ?? paths[0];
export const operationOf = (endpoint: Endpoint): string => countedPath(endpoint).replace(/^\/v\d\//, '');

/** Lists whose schema does not contain their max. */
const statedElsewhere: Readonly<Record<string, number>> = { 'filters.0.value': 30 };

export const at = (data: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => Object(value)[name] as unknown, data);

/** Returns `data` with another value at `path`. Adds missing items and objects on the path. */
export function withValue(data: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  if (name === '0') return [withValue(at(data, ['0']) ?? {}, rest, value)];
  return { ...(data as Data), [name]: withValue(at(data, [name]), rest, value) };
}

/** The identity of a list's items: the item itself, or this member. */
function identityOf(list: string, item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const members = ['id', `${list.replace(/s$/, '')}Id`, 'annotationId', 'userId', 'provider'];
  return members.find((member) => Object.hasOwn(item, member));
}

export function kindOf(list: string, item: unknown): keyof WorldIds | undefined {
  const identity = identityOf(list, item);
  if (identity === undefined) return kinds[list];
  return list === 'resources' ? 'document' : (kinds[`${list}.${identity}`] ?? kinds[identity]);
}

const providers = ['openai', 'anthropic', 'gemini'];

/** The `number`th value of a list, derived from `value`. */
function another(value: unknown, list: string, number: number, fresh: boolean): unknown {
  if (typeof value !== 'string' || ['featureTypes', 'scopes'].includes(list)) return value;
  if (list === 'emails') return `${freshId('address')}@example.com`;
  if (list.toLowerCase().endsWith('domains')) return `https://${freshId('host')}.example.com`;
  if (list === 'aiModelApiKey') return providers[number];
  return fresh ? `new-${freshId('item')}` : `${value}-${String(number)}`;
}

/** Returns `count` distinct items like the given one. Items that an operation adds are `fresh`. */
export function itemsLike(item: unknown, list: string, count: number, fresh: boolean): readonly unknown[] {
  const identity = identityOf(list, item);
  return Array.from({ length: count }, (_, number) => {
    if (typeof item !== 'object' || item === null) return another(item, list, number, fresh);
    if (identity === undefined) return item;
    return { ...item, [identity]: another(at(item, [identity]), list, number, fresh) };
  });
}

/** Lists in additions whose items are not the added records. */
export const existingIn: ReadonlySet<string> = new Set([
  'auth/permissions/add permissions.resources',
  'organizations/usergroups/users/add userIds',
]);

/** Lists in updates whose items are new in each call, since an update that changes nothing writes nothing. */
export const freshIn: ReadonlySet<string> = new Set(['commentannotations/update updatedData.actions']);

/** The short form sends enough items to detect a statement per item. */
const countedMax = (max: number): number => (inFull ? max : Math.min(max, 8));

export interface CountedList {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly list: string;
  readonly max: number;
}

/** Lists with which a repeated call writes nothing. The tests of their operations count the statements. */
const countedElsewhere: ReadonlySet<string> = new Set([
  // One statement reads a page by any filter. A separate test compares them.
  'notifications/deliveries/get deliveryIds',
  'notifications/deliveries/get channels',
  'notifications/deliveries/get statuses',
  'commentannotations/comments/delete commentIds',
  'commentannotations/comments/update updatedData.attachments',
  'commentannotations/comments/update updatedData.actions',
  'commentannotations/comments/update updatedData.progress.steps',
]);

const countedLists = (endpoint: Endpoint) =>
  listsOf(schemaOf(endpoint)).filter(([list]) => !countedElsewhere.has(`${operationOf(endpoint)} ${list}`));

export const lists: readonly CountedList[] = endpoints.flatMap((endpoint) =>
  countedLists(endpoint).map(([list, max]) => ({
    endpoint,
    path: countedPath(endpoint),
    list,
    max: countedMax(lower[`${operationOf(endpoint)} ${list}`] ?? max ?? statedElsewhere[list] ?? Number.NaN),
  })),
);
