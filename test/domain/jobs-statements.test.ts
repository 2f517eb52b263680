import { afterAll, describe, expect, it } from '@jest/globals';
import { recordKinds } from '../../domain/cascade/record-kinds.ts';
import { countDocument } from '../../domain/migrations/count-document.ts';
import { removePersonalData } from '../../domain/deletion/process-stores.ts';
import { fenceUsers } from '../../domain/deletion/fence-users.ts';
import { verifyDeletion } from '../../domain/deletion/verify-deletion.ts';
import { startTestApi } from '../support/api.ts';
import { aDocument, aTenant, anOrganization } from '../support/factories.ts';
import { runCascade } from '../support/run-cascade.ts';
import { statementsOf, type SentStatement } from '../support/statements.ts';
import { begunDeletion, whole } from './deletion/carry-out.ts';

const api = await startTestApi();
afterAll(api.close);

const tenant = await aTenant(api);
const organizationId = await anOrganization(tenant);

const countOf = (statements: readonly SentStatement[], text: RegExp): number =>
  statements.filter((one) => text.test(one.text)).length;

const begins = /^(?:begin|start transaction)/;

describe('the statements of a job without records to process', () => {
  it('a deletion of user data reads addresses once per transaction or verification, and shares transactions between empty stores', async () => {
    await tenant.ok('/v2/users/add', { organizationId, users: [{ userId: 'ada', email: 'ada@users.test' }] });
    const deletion = await begunDeletion(api, tenant, { userIds: ['ada'] });
    await whole(fenceUsers(api.orm, deletion));
    const removal = await statementsOf(() => whole(removePersonalData(api.orm, deletion)));
    const verification = await statementsOf(() => whole(verifyDeletion(api.orm, deletion)));
    // One more of the store of addresses.
    const addressReads = countOf(removal, /^select distinct a\.address/);
    expect(addressReads).toBeLessThanOrEqual(countOf(removal, begins) + 1);
    expect(countOf(verification, /^select distinct a\.address/)).toBe(1);
    expect(countOf(removal, begins)).toBeLessThan(8);
    expect(countOf(removal, /set_config\(name/)).toBeLessThan(8);
  });

  it('a cascade shares transactions between empty kinds of records', async () => {
    const { documentId } = await aDocument(tenant, { organizationId });
    const { jobId } = await tenant.ok('/v2/organizations/documents/delete', {
      organizationId,
      documentIds: [documentId],
    });
    const sent = await statementsOf(() => runCascade(api, jobId));
    expect(countOf(sent, begins)).toBeLessThan(recordKinds.length);
    expect(countOf(sent, /'enable_sort'/)).toBe(1);
  });

  it('a migration counts small kinds of records in one transaction', async () => {
    const document = await aDocument(tenant, { organizationId });
    const [row] = await api.database.sql<{ id: string }>('select id from document where ext_id = $1', [
      document.documentId,
    ]);
    const migration = { api_key_id: tenant.id, document_id: row?.id ?? '' };
    const counted: string[] = [];
    const sent = await statementsOf(async () => {
      counted.push(...Object.keys(await whole(countDocument(api.orm, migration, recordKinds))));
    });
    expect(counted).toEqual(recordKinds.map(({ name }) => name));
    expect(countOf(sent, begins)).toBe(1);
  });
});
