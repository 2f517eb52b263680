import { afterAll, describe, expect, it } from '@jest/globals';
import { countPersonalData } from '../../../domain/deletion/process-stores.ts';
import { startTestApi } from '../../support/api.ts';
import { activities, addActivityLogs, aDocument } from '../../support/factories.ts';
import { rowsRead, statementsOf } from '../../support/statements.ts';
import { begunDeletion, carriedOut, whole } from './carry-out.ts';
import { aBusyTenant } from './furnish.ts';

const api = await startTestApi();
afterAll(api.close);

const elsewhereCount = 25_000;
/** The most that a statement examines, each by two lookups: whether the event is the tenant's, and of the organization. */
const maxLookups = 2 * 10_000;

/** A person with two events in an organization, and 25,000 in another, in the default partition. */
async function aScene() {
  const tenant = await aBusyTenant(api);
  const here = await aDocument(tenant);
  const elsewhere = await aDocument(tenant);
  await addActivityLogs(tenant, here, activities(2, { actionUser: { userId: 'ada' } }));
  await api.database.sql(
    `with e as (
       insert into event (api_key_id, org_id, public_id, type, channels, payload, at)
       select o.api_key_id, o.id, 'elsewhere-' || n, 'x', '{}', '{"userId": "ada"}', '2024-01-01'::timestamptz + n * interval '1 second'
       from organization o, generate_series(1, $3::integer) n where o.api_key_id = $1 and o.ext_id = $2 returning id, at)
     insert into event_user (user_id, at, event_id)
     select u.id, e.at, e.id from e, app_user u where u.api_key_id = $1 and u.ext_id = 'ada'`,
    [tenant.id, elsewhere.organizationId, elsewhereCount],
  );
  const eventsIn = async (organizationId: string): Promise<number> =>
    (
      await api.database.sql(
        `select from event_user t join event e on e.at = t.at and e.id = t.event_id join organization o on o.id = e.org_id
         where o.api_key_id = $1 and o.ext_id = $2`,
        [tenant.id, organizationId],
      )
    ).length;
  return { tenant, here: here.organizationId, elsewhere: elsewhere.organizationId, eventsIn };
}

describe('a deletion in a named organization', () => {
  it('examines a bounded number of the events of a person elsewhere in each statement', async () => {
    const { tenant, here, elsewhere, eventsIn } = await aScene();
    const request = { userIds: ['ada'], organizationIds: [here] };
    const eventsHere = await eventsIn(here);
    const countsOf = async (jobId: string) =>
      api.database.sql(
        `select (counts ->> 'events')::integer as events from user_data_deletion where job_id = $1`,
        [jobId],
      );
    const dryRun = await begunDeletion(api, tenant, { ...request, dryRun: true });
    await whole(countPersonalData(api.orm, dryRun));
    const deletion = await begunDeletion(api, tenant, request);
    const sent = await statementsOf(async () => expect(await carriedOut(api, deletion)).toEqual([]));
    expect(await countsOf(deletion.jobId)).toEqual([{ events: eventsHere }]);
    expect(await countsOf(dryRun.jobId)).toEqual([{ events: eventsHere }]);
    expect([await eventsIn(here), await eventsIn(elsewhere)]).toEqual([0, elsewhereCount]);
    const settings = sent.filter(({ text }) => text.includes('set_config(name')).slice(0, 1);
    const batches = sent.filter(({ text }) => text.includes('"event_user" t'));
    expect(batches.length).toBeGreaterThan(0);
    for (const batch of batches)
      expect(await rowsRead(api.database, [...settings, batch], 'event_default')).toBeLessThanOrEqual(
        maxLookups,
      );
  });
});
