import { afterAll, describe, expect, it } from '@jest/globals';
import { readAccess } from '../../../domain/permissions/read-access.ts';
import { resourceKey, type Resource } from '../../../domain/permissions/resource.ts';
import { verdictOf, type AccessRow } from '../../../domain/permissions/verdict.ts';
import { accessTypes, type Tenant } from '../../../domain/tenancy/tenant.ts';
import { startTestApi } from '../../support/api.ts';
import { aTenant } from '../../support/factories.ts';
import { explain, statementsOf } from '../../support/statements.ts';
import { casesOf } from '../../support/tier.ts';
import { judge, type ModelDefaults, type ModelWorld } from './access-model.ts';
import { aRandomWorld, loadWorlds, moments, oneOf, randomOf } from './random-worlds.ts';

const api = await startTestApi();
afterAll(api.close);

const users = ['ada', 'bob', 'cyd'];
const seed = Math.floor(Math.random() * 2 ** 31);
const random = randomOf(seed);
const worlds = Array.from({ length: casesOf(10_000) }, (_, number) => aRandomWorld(random, number, users));
const owner = await aTenant(api);
await loadWorlds(api.database, owner.id, { users, worlds });

const tenantWith = (defaults: ModelDefaults): Tenant => ({
  id: owner.id,
  keyId: owner.keyId,
  switches: {
    activityLogs: false,
    activityLogsImmutable: false,
    notificationService: false,
    advancedWebhooks: false,
    webhooks: false,
    permissionProvider: false,
    defaultDocumentAccessType: defaults.document,
    defaultFolderAccessType: defaults.folder,
  },
});

/** Every checkable resource of a world, and one that does not exist. */
function resourcesOf({ organizationId, folders, documents }: ModelWorld): Resource[] {
  return [
    { type: 'organization', id: organizationId, organizationId },
    ...folders.map(({ id }): Resource => ({ type: 'folder', id, organizationId })),
    ...documents.map(({ id }): Resource => ({ type: 'document', id, organizationId })),
    { type: 'document', id: 'nothing', organizationId },
  ];
}

const together = 250;

describe('effective access', () => {
  it('equals that of a slow, simple model in 10,000 random worlds', async () => {
    let checked = 0;
    for (let first = 0; first < worlds.length; first += together) {
      const some = worlds.slice(first, first + together);
      const defaults = { document: oneOf(random, accessTypes), folder: oneOf(random, accessTypes) };
      const seconds = oneOf(random, moments);
      const byKey = new Map(
        some.flatMap((world) => resourcesOf(world).map((one) => [resourceKey(one), world])),
      );
      const resources = some.flatMap(resourcesOf);
      const userIds = [...users, 'nobody'];
      const found = await readAccess(api.orm.em.fork(), tenantWith(defaults), {
        userIds,
        resources,
        types: random() < 0.5,
        explain: random() < 0.3,
        moment: new Date(seconds * 1_000),
      });
      expect(found).toHaveLength(userIds.length * resources.length);
      const wrong = found.flatMap((row, at) => {
        const user = userIds[Math.floor(at / resources.length)] ?? '';
        const resource = resources[at % resources.length];
        const world = resource && byKey.get(resourceKey(resource));
        if (resource === undefined || world === undefined) throw new Error('An answer to no question.');
        const expected = judge(world, user, resource, { seconds, defaults });
        const isPair =
          row.user_ext === user && row.ext_id === resource.id && row.org_ext_id === resource.organizationId;
        const same = isPair && JSON.stringify(verdictOf(row)) === JSON.stringify(expected);
        return same ? [] : [{ seed, user, resource, expected, row }];
      });
      expect(wrong.slice(0, 3)).toEqual([]);
      checked += found.length;
    }
    expect(checked).toBeGreaterThan(casesOf(200_000));
  });

  it('needs one statement for 1 resource and for 100, and reads every table by an index', async () => {
    const tenant = tenantWith({ document: 'public', folder: 'public' });
    for (const count of [1, 100]) {
      const resources = worlds.slice(0, 60).flatMap(resourcesOf).slice(0, count);
      const sent = await statementsOf(() =>
        readAccess(api.orm.em.fork(), tenant, { userIds: ['ada'], resources, explain: true }),
      );
      expect(sent).toHaveLength(1);
      for (const statement of sent) {
        expect((await explain(api.database, statement)).wholeTables).toEqual([]);
      }
    }
  });

  it('of pairs is that of each user for one resource, without comparing each pair with each other', async () => {
    const tenant = tenantWith({ document: 'public', folder: 'public' });
    const resources = worlds.flatMap(resourcesOf).slice(0, 1_000);
    const userIds = resources.map((_, at) => users[at % users.length] ?? '');
    const moment = new Date();
    const em = api.orm.em.fork();
    const sent = await statementsOf(async () => {
      const found = await readAccess(em, tenant, { userIds, resources, paired: true, moment });
      const ofAll = await readAccess(em, tenant, { userIds: users, resources, moment });
      const expected = resources.map((_, at) => ofAll[(at % users.length) * resources.length + at]);
      const verdicts = (rows: readonly (AccessRow | undefined)[]) =>
        rows.map((row) => row && [row.user_ext, row.org_ext_id, row.ext_id, verdictOf(row)]);
      expect(verdicts(found)).toEqual(verdicts(expected));
    });
    const [statement] = sent;
    if (statement === undefined) throw new Error('Nothing was sent.');
    expect((await explain(api.database, statement)).wholeTables).toEqual([]);
    const plan = await api.database.sql(`explain (analyze, format json) ${statement.text}`, [
      ...statement.values,
    ]);
    const removed = [...JSON.stringify(plan).matchAll(/"Rows Removed by Join Filter":(\d+)/g)];
    expect(removed.reduce((sum, [, count]) => sum + Number(count), 0)).toBeLessThan(10_000);
  });

  it('of 10,000 pairs of ids of 1,000 bytes is read in less than 2 MiB', async () => {
    const tenant = tenantWith({ document: 'public', folder: 'public' });
    const idOf = (kind: string, at: number) => `${kind}${String(at)}-`.padEnd(1_000, 'x');
    const userIds = Array.from({ length: 100 }, (_, at) => idOf('user', at));
    const organizationId = idOf('organization', 0);
    const resources = Array.from({ length: 100 }, (_, at) => ({
      type: 'document' as const,
      id: idOf('document', at),
      organizationId,
    }));
    let found: Awaited<ReturnType<typeof readAccess>> = [];
    const [statement] = await statementsOf(async () => {
      found = await readAccess(api.orm.em.fork(), tenant, { userIds, resources });
    });
    expect(found).toHaveLength(10_000);
    expect(found[101]).toMatchObject({
      user_ext: userIds[1],
      ext_id: resources[1]?.id,
      org_ext_id: organizationId,
    });
    if (statement === undefined) throw new Error('Nothing was sent.');
    const [read] = await api.database.sql<{ bytes: number }>(
      `select sum(octet_length(r::text))::int as bytes from (${statement.text}) r`,
      [...statement.values],
    );
    expect(read?.bytes).toBeLessThan(2 * 1_048_576);
  });

  it('looks resources up by their key, with any statistics of users and folders', async () => {
    const tenant = tenantWith({ document: 'public', folder: 'public' });
    const resources = worlds.slice(0, 30).flatMap(resourcesOf).slice(0, 100);
    const [statement] = await statementsOf(() =>
      readAccess(api.orm.em.fork(), tenant, { userIds: ['ada'], resources, types: true, explain: true }),
    );
    if (statement === undefined) throw new Error('Nothing was sent.');
    const { indexes } = await explain(api.database, statement);
    // Either index finds one row, because both user and resource are given.
    const exact = new Set(['access_pkey', 'access_resource']);
    expect(indexes.some((index) => exact.has(index))).toBe(true);
    expect(indexes).not.toContain('access_user_organization');
  });
});
