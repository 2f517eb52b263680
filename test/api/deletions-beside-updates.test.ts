import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import type { Client } from 'pg';
import { closeDocuments } from '../../domain/cascade/close-for-deletion.ts';
import { lockOrganization } from '../../domain/organizations/resolve-organization.ts';
import { tablesOf } from '../../domain/tables.ts';
import type { Tenant } from '../../domain/tenancy/tenant.ts';
import { startTestApi } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { aTenant, anOrganization, type TestTenant } from '../support/factories.ts';
import { transacted } from '../support/in-transaction.ts';
import { waitsForLock } from '../support/lock-waits.ts';

const api = await startTestApi();
afterAll(api.close);

let tenant: TestTenant;
let [organizationId, other] = ['', ''];

beforeEach(async () => {
  tenant = await aTenant(api);
  organizationId = await anOrganization(tenant);
  other = await anOrganization(tenant);
  await tenant.ok('/v2/organizations/folders/add', {
    organizationId,
    folders: [{ folderId: 'plans' }, { folderId: 'old', parentFolderId: 'plans' }],
  });
  await tenant.ok('/v2/organizations/documents/add', {
    organizationId,
    documents: [{ documentId: 'plan' }, { documentId: 'draft' }],
  });
});

interface Deletable {
  /** A row that the test holds, and another one of the same deletion. */
  readonly rows: () => readonly [held: string, free: string];
  readonly remove: () => readonly [path: string, data: object];
  /** A write that locks the first row FOR KEY SHARE. */
  readonly location: () => object;
}

const deletables: Readonly<Record<string, Deletable>> = {
  organization: {
    rows: () => [organizationId, other],
    remove: () => ['/v2/organizations/delete', { organizationIds: [organizationId, other] }],
    location: () => ({ organizationId }),
  },
  folder: {
    rows: () => ['plans', 'old'],
    remove: () => ['/v2/organizations/folders/delete', { organizationId, folderId: 'plans' }],
    location: () => ({ organizationId, folderId: 'plans' }),
  },
  document: {
    rows: () => ['plan', 'draft'],
    remove: () => ['/v2/organizations/documents/delete', { organizationId, documentIds: ['plan', 'draft'] }],
    location: () => ({ organizationId, documentId: 'plan' }),
  },
};

/** Locks a row of the key until the end of the transaction. Rejects if it would have to wait. */
const lock = async (client: Client, table: string, [id, mode]: readonly [id: string, mode: string]) =>
  client.query(`select from ${table} where api_key_id = $1 and ext_id = $2 for ${mode} nowait`, [
    tenant.id,
    id,
  ]);

const begun = async (): Promise<Client> => {
  const client = await api.database.connect();
  await client.query('begin');
  return client;
};

describe.each(Object.entries(deletables))(
  'the deletion of a %s that is updated',
  (table, { rows, ...one }) => {
    it('holds no other row while it waits for the update, so that the update can lock it', async () => {
      const [held, free] = rows();
      const update = await begun();
      await lock(update, table, [held, 'no key update']);
      const deletion = tenant.call(...one.remove());
      expect(await waitsForLock(api.database, deletion)).toBe(true);
      await lock(update, table, [free, 'no key update']);
      await update.query('commit');
      expect((await deletion).status).toBe(200);
    });

    it('succeeds although writers hold the row also after the update: further ones are aborted', async () => {
      const [held] = rows();
      const [update, writer] = [await begun(), await begun()];
      await lock(update, table, [held, 'no key update']);
      await lock(writer, table, [held, 'key share']);
      const deletion = tenant.call(...one.remove());
      expect(await waitsForLock(api.database, deletion)).toBe(true);
      await update.query('commit');
      const write = async () =>
        tenant.call('/v2/users/add', { ...one.location(), users: [{ userId: 'ben' }] });
      await eventually(async () => (await write()).status === 409);
      await writer.query('commit');
      expect((await deletion).status).toBe(200);
    });
  },
);

it('rows stay closed for 30 s after the statement, however long its transaction has been running', async () => {
  const writer = await begun();
  await lock(writer, 'document', ['plan', 'key share']);
  const { rows } = await transacted(api.orm, async (em) => {
    const organization = await lockOrganization(em, { id: tenant.id } as Tenant, organizationId);
    await closeDocuments(em, organization, ['plan']);
    return sql<{ ext_id: string }>`select ext_id from document
      where api_key_id = ${tenant.id} and closing_until > now() + interval '30 s'`.execute(tablesOf(em));
  });
  expect(rows).toEqual([{ ext_id: 'plan' }]);
  await writer.query('commit');
});
