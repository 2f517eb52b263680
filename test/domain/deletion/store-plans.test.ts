import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { countPersonalData } from '../../../domain/deletion/process-stores.ts';
import { identify } from '../../../domain/deletion/stores/addresses.ts';
import { allowIndexScansOnly } from '../../../domain/deletion/stores/index-scans-only.ts';
import { agentExecutionsElsewhere } from '../../../domain/deletion/stores/table-stores.ts';
import { inTransaction } from '../../../platform/database/orm.ts';
import { disabledForPersonalData } from '../../../platform/database/planner.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { aDocument, anOrganization, type TestTenant } from '../../support/factories.ts';
import { withLargeTables } from '../../support/large-tables.ts';
import { explain, rowsRead, statementsOf, type SentStatement } from '../../support/statements.ts';
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

describe('a person who started 20,000 agent executions without an organization', () => {
  const executions = 20_000;

  async function anAutomationUser() {
    await tenant.ok('/v2/agents/execution/add', { agentId: 'automated', ranBy: { userId: 'automation' } });
    const [user] = await api.database.sql<{ id: string }>(
      `with one as (select * from agent_execution where api_key_id = $1 and agent_id = 'automated'),
         added as (
           insert into agent_execution (api_key_id, ext_id, agent_id, status, started_at, started_by, body)
           select $1, 'automated-' || n, 'automated', 1, n, one.started_by, one.body
           from one, generate_series(2, $2::int) n)
       select started_by as id from one`,
      [tenant.id, executions],
    );
    await api.database.sql('analyze agent_execution');
    const users = [{ id: user?.id ?? '', userId: 'automation' }];
    return { tenantId: tenant.id, users, organizations: null };
  }

  const ofExecutions = ({ text }: SentStatement): boolean => text.includes('started_by');

  it('is deleted and exported in batches that read each of them once', async () => {
    const scope = await anAutomationUser();
    const organizationId = await anOrganization(tenant);
    const exported = await statementsOf(async () =>
      tenant.ok('/v2/users/data/get', { organizationId, userId: 'automation' }),
    );
    const pages = exported.filter(ofExecutions);
    expect(pages.length).toBeGreaterThan(0);
    for (const page of pages)
      expect(await rowsRead(api.database, [page], 'agent_execution')).toBeLessThanOrEqual(110);
    const batches = await statementsOf(async () => {
      const removal = inTransaction(api.orm, async (em) => {
        await allowIndexScansOnly(em);
        const identified = await identify(em, scope);
        const first = await agentExecutionsElsewhere.remove(em, identified, null);
        const second = await agentExecutionsElsewhere.remove(em, identified, first.last);
        expect([first, second].map(({ counts }) => counts)).toEqual([
          { agentExecutions: 5_000 },
          { agentExecutions: 5_000 },
        ]);
        throw new Error('rolled back');
      });
      await expect(removal).rejects.toThrow('rolled back');
    });
    const settings = batches.filter(({ text }) => text.includes('set_config(name'));
    expect(settings).toHaveLength(1);
    const removals = batches.filter(ofExecutions);
    expect(removals).toHaveLength(2);
    expect(await rowsRead(api.database, [...settings, ...removals], 'agent_execution')).toBeLessThanOrEqual(
      10_100,
    );
  });
});
