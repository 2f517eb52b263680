import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { disabledForPersonalData } from '../../../platform/database/planner.ts';
import { countPersonalData } from '../../../domain/deletion/process-stores.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { aDocument, type TestTenant } from '../../support/factories.ts';
import { withLargeTables } from '../../support/large-tables.ts';
import { explain, statementsOf, type SentStatement } from '../../support/statements.ts';
import { begunDeletion, carriedOut, whole } from './carry-out.ts';
import { aBusyTenant, aPerson, furnish } from './furnish.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aBusyTenant(api);
  await withLargeTables(api.database, tenant.id);
});
afterAll(() => api.close());

const ada = aPerson('ADA-the-person');
const grace = aPerson('GRACE-who-stays');

/** Statements on the tables of deletions themselves. A store may look into them: `select from` in a condition. */
const ofDeletions =
  /user_data_deletion|(?:(?<!select )from|join|update|into) "?user_deletion|set_config\(name/u;

const ofLocations = ({ text, values }: SentStatement): boolean =>
  values.length > 0 && !ofDeletions.test(text);

/** The distinct statements of a deletion on its stores, except those on its own tables. */
async function statementsOfDeletion(scope: readonly string[] | undefined): Promise<readonly SentStatement[]> {
  const request = { userIds: [ada.userId], organizationIds: scope };
  const sent = await statementsOf(async () => {
    await whole(countPersonalData(api.orm, await begunDeletion(api, tenant, { ...request, dryRun: true })));
    expect(await carriedOut(api, await begunDeletion(api, tenant, request))).toEqual([]);
  });
  const byText = new Map(sent.filter(ofLocations).map((one) => [one.text, one]));
  return [...byText.values()];
}

describe('a deletion in large tables', () => {
  it.each(['everywhere', 'in named organizations'])('%s runs no sequential scan', async (where) => {
    const { organizationId } = await furnish(tenant, ada, grace, { prefix: where.replaceAll(' ', '-') });
    const sent = await statementsOfDeletion(where === 'everywhere' ? undefined : [organizationId]);
    expect(sent.length).toBeGreaterThan(30);
    for (const statement of sent) {
      const { wholeTables } = await explain(api.database, statement, disabledForPersonalData);
      expect({ text: statement.text, wholeTables }).toEqual({ text: statement.text, wholeTables: [] });
    }
  });

  it('finds the deletions of users without a profile by the index of fences', async () => {
    const { organizationId } = await furnish(tenant, ada, grace, { prefix: 'bare' });
    // Their id is an address of the person.
    await aDocument(tenant, { organizationId, owner: { userId: ada.email } });
    const sent = await statementsOfDeletion(undefined);
    const ofBare = sent.filter(({ text }) => text.includes('user_deletion x'));
    expect(ofBare).toHaveLength(1);
    for (const statement of ofBare) {
      const { indexes } = await explain(api.database, statement, disabledForPersonalData);
      expect(indexes.filter((name) => name.startsWith('user_'))).toContain('user_fence_id');
    }
  });

  it('finds activity logs by the index of the user', async () => {
    const { organizationId } = await furnish(tenant, ada, grace, { prefix: 'by-person' });
    const sent = await statementsOfDeletion([organizationId]);
    const ofActivities = sent.filter(({ text }) => /from "?activity"? t\b/u.test(text));
    expect(ofActivities.length).toBeGreaterThan(2);
    const byPerson = new Set(['activity_actor', 'activity_naming', 'activity_pkey']);
    for (const statement of ofActivities) {
      const { indexes } = await explain(api.database, statement, disabledForPersonalData);
      const others = indexes.filter((name) => name.startsWith('activity') && !byPerson.has(name));
      expect({ text: statement.text, others }).toEqual({ text: statement.text, others: [] });
    }
  });
});
