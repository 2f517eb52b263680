import { afterAll, describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { endpoints } from '../../api/endpoints.ts';
import { startTestApi } from '../support/api.ts';
import { aDocument, aTenant, withActivityLogs } from '../support/factories.ts';
import { destructiveLast, inLeftWorlds } from '../support/left-worlds.ts';
import { callerOf } from '../support/operations.ts';
import { about } from '../support/world-ids.ts';

/* Generated from the registry: an open map is covered from the moment its schema is registered. */

const api = await startTestApi();
afterAll(api.close);

const names = ['constructor', 'toString'] as const;
const named = (value: unknown): object => Object.fromEntries(names.map((name) => [name, value]));

/** The members of a zod schema that this test reads. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly catchall?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly options?: readonly z.ZodType[];
}
const definitionOf = (schema: z.ZodType): Definition => schema._zod.def;

/** Strict objects have the catchall `never`. Objects that ignore unknown members have none. */
function isOpen(schema: z.ZodType): boolean {
  const { type, catchall } = definitionOf(schema);
  if (type === 'record') return true;
  if (type === 'unknown') return schema.meta()?.['type'] === 'object';
  return type === 'object' && catchall !== undefined && definitionOf(catchall).type !== 'never';
}

/** Returns the child schemas by member; `[]` stands for every item of a list. */
function below(schema: z.ZodType): readonly (readonly [member: string, schema: z.ZodType])[] {
  const {
    shape = {},
    catchall,
    valueType,
    element,
    innerType,
    in: input,
    options = [],
  } = definitionOf(schema);
  const same = [innerType, input, ...options].filter((inner) => inner !== undefined);
  return [
    ...Object.entries(shape),
    ...[catchall, valueType].filter((inner) => inner !== undefined).map((inner) => ['*', inner] as const),
    ...(element === undefined ? [] : [['[]', element] as const]),
    ...same.map((inner) => ['', inner] as const),
  ];
}

interface OpenMap {
  readonly path: string;
  readonly schema: z.ZodType;
}

function openMapsOf(schema: z.ZodType, path: string): OpenMap[] {
  const inner = below(schema).flatMap(([member, part]) =>
    openMapsOf(part, member === '' ? path : `${path}.${member}`),
  );
  return isOpen(schema) ? [{ path, schema }, ...inner] : inner;
}

const openMaps = endpoints.flatMap(({ paths, data }) => openMapsOf(data, paths[0]));

/** A value that the map accepts for any key. */
const valueFor = (schema: z.ZodType): unknown =>
  [true, 'x', 1, {}].find((value) => {
    const issues = schema.safeParse({ other: value }).error?.issues ?? [];
    return issues.every(({ path }) => path[0] !== 'other');
  });

/** Returns the data with the keys added to each of its open maps. */
function withNames(schema: z.ZodType, data: unknown): unknown {
  if (Array.isArray(data)) {
    const { element, innerType, in: input } = definitionOf(schema);
    const inner = innerType ?? input;
    if (inner !== undefined) return withNames(inner, data);
    return element === undefined ? data : data.map((item) => withNames(element, item));
  }
  if (typeof data !== 'object' || data === null) return data;
  const parts = below(schema);
  const wrapped = parts.find(([member]) => member === '');
  if (wrapped !== undefined) return withNames(wrapped[1], data);
  const members = Object.entries(data).map(([name, value]: [string, unknown]): [string, unknown] => {
    const part = parts.find(([member]) => member === name) ?? parts.find(([member]) => member === '*');
    return [name, part === undefined ? value : withNames(part[1], value)];
  });
  return { ...Object.fromEntries(members), ...(isOpen(schema) ? named(valueFor(schema)) : {}) };
}

describe('every open map of the registry', () => {
  it('is listed: records, users, metadata, triggers, changes, template data, provider options', () => {
    const found = openMaps.map(({ path }) => path);
    for (const path of [
      '/v1/organizations/add.organizations.[]',
      '/v2/auth/permissions/add.user',
      '/v2/workspace/activityconfig/update.activityServiceConfig.triggers',
      '/v2/workspace/activityconfig/update.activityServiceConfig.triggers.comment',
      '/v2/workspace/webhookconfig/update.webhookServiceConfig.triggers.crdt',
      '/v2/workspace/advancedwebhook/endpoints/create.metadata',
      '/v2/activities/add.activities.[].changes',
    ])
      expect(found).toContain(path);
    expect(found.length).toBeGreaterThan(50);
  });

  it.each(openMaps)('$path accepts constructor and toString as keys', ({ schema }) => {
    const sent = named(valueFor(schema));
    const { data, error } = schema.safeParse(sent);
    const refused = (error?.issues ?? []).filter(
      (issue) => issue.code === 'unrecognized_keys' || names.some((name) => issue.path[0] === name),
    );
    expect(refused).toEqual([]);
    // For data without a required member, only the issues are checked.
    if (error === undefined) expect(Object.entries(data as object)).toEqual(Object.entries(sent));
  });

  const covered = endpoints.filter(
    ({ data, example }) => JSON.stringify(withNames(data, example)) !== JSON.stringify(example),
  );

  const inWorld = inLeftWorlds(api);

  it.each(destructiveLast(covered.map((endpoint) => ({ endpoint, path: endpoint.paths[0] }))))(
    'accepts them in a request to $path',
    async ({ endpoint, path }) =>
      inWorld(async ({ tenant, ids }) => {
        const data = about(ids, withNames(endpoint.data, endpoint.example));
        await callerOf(api, tenant, endpoint).ok(path, data);
      }),
  );
});

describe('constructor and toString', () => {
  it('are returned unchanged by every record with open maps', async () => {
    const tenant = await withActivityLogs(await aTenant(api));
    const free = { constructor: { toString: ['x'] }, toString: 1 };
    const keeps = expect.objectContaining(free) as unknown;
    const { organizationId, documentId } = await aDocument(tenant, free);
    const scope = { organizationId, documentId };
    await tenant.ok('/v2/organizations/update', { organizations: [{ organizationId, ...free }] });
    await tenant.ok('/v2/users/add', { organizationId, users: [{ userId: 'ada', ...free }] });
    const body = { changes: free, displayMessageTemplateData: free, actionUser: { userId: 'ada', ...free } };
    const activity = { featureType: 'custom', actionType: 'a.b', targetEntityId: 't', ...body };
    await tenant.ok('/v2/activities/add', { ...scope, activities: [activity] });
    const read = async (path: string): Promise<unknown> => (await tenant.ok<unknown[]>(path, scope)).data;
    expect((await tenant.ok('/v2/organizations/get', { organizationIds: [organizationId] })).data).toEqual([
      keeps,
    ]);
    expect((await tenant.ok('/v2/users/get', { organizationId })).data).toEqual([keeps]);
    expect((await tenant.ok('/v2/organizations/documents/get', { organizationId })).data).toEqual([keeps]);
    expect(await read('/v2/activities/get')).toEqual([
      expect.objectContaining({
        changes: free,
        displayMessageTemplateData: free,
        actionUser: { userId: 'ada', ...free },
      }),
    ]);
  });
});
