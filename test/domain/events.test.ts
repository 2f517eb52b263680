import { afterAll, describe, expect, it } from '@jest/globals';
import { recordEvents, type NewEvent } from '../../domain/events/record-events.ts';
import { inTransaction } from '../../platform/database/orm.ts';
import { startTestApi } from '../support/api.ts';
import { aTenant, type TestTenant } from '../support/factories.ts';
import { statementsOf } from '../support/statements.ts';

const api = await startTestApi();
afterAll(api.close);
const { database, orm } = api;

const event = (members: Partial<NewEvent> = {}): NewEvent => ({
  type: 'comment.add',
  organization: '7',
  document: null,
  channels: ['acme', 'plan'],
  payload: { text: 'hello "\\ 🦊', nested: { list: [1, null] } },
  users: ['11', '12', '11'],
  ...members,
});

const record = async (tenant: TestTenant, ...events: NewEvent[]) =>
  inTransaction(orm, async (em) => recordEvents(em, tenant.id, events));

async function listening(): Promise<TestTenant> {
  const tenant = await aTenant(api);
  await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
  await database.sql(
    `insert into webhook_endpoint (api_key_id, public_id, url) values ($1, gen_random_uuid()::text, 'https://example.com')`,
    [tenant.id],
  );
  return tenant;
}

const countOf = async (table: string, tenant: TestTenant) =>
  (await database.sql(`select 1 from ${table} where api_key_id = $1`, [tenant.id])).length;

describe('recording events', () => {
  it('writes each event with its outbox row and the users it names', async () => {
    const tenant = await listening();
    await record(tenant, event(), event({ type: 'comment.delete', users: [] }));
    const written = await database.sql(
      `select e.type, e.org_id, e.document_id, e.channels, e.payload, o.event_at = e.at as queued,
         array(select u.user_id::text from event_user u where u.event_id = e.id and u.at = e.at order by 1) as users
       from event e join outbox o on o.event_id = e.id where e.api_key_id = $1 order by e.id`,
      [tenant.id],
    );
    const common = {
      org_id: '7',
      document_id: null,
      channels: ['acme', 'plan'],
      payload: event().payload,
      queued: true,
    };
    expect(written).toEqual([
      { ...common, type: 'comment.add', users: ['11', '12'] },
      { ...common, type: 'comment.delete', users: [] },
    ]);
  });

  it('stores channels unchanged, whatever characters they contain', async () => {
    const tenant = await listening();
    const channels = ['say "hi"', String.raw`back\slash`, '', ' , {x} ', 'NULL', '🦊'];
    await record(tenant, event({ channels }), event({ channels: [] }));
    const written = await database.sql('select channels from event where api_key_id = $1 order by id', [
      tenant.id,
    ]);
    expect(written).toEqual([{ channels }, { channels: [] }]);
  });

  it('writes nothing when the transaction rolls back', async () => {
    const tenant = await listening();
    const failing = inTransaction(orm, async (em) => {
      await recordEvents(em, tenant.id, [event()]);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect([await countOf('event', tenant), await countOf('outbox', tenant)]).toEqual([0, 0]);
  });

  it('writes nothing while advanced webhooks are disabled or no endpoint exists', async () => {
    const off = await listening();
    await off.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: false });
    const gone = await listening();
    await database.sql('update webhook_endpoint set deleted_at = now() where api_key_id = $1', [gone.id]);
    const never = await aTenant(api);
    for (const tenant of [off, gone, never]) {
      await record(tenant, event());
      expect([await countOf('event', tenant), await countOf('outbox', tenant)]).toEqual([0, 0]);
    }
  });

  it('runs one statement for 1,000 events', async () => {
    const tenant = await listening();
    const sent = await statementsOf(() => record(tenant, ...Array.from({ length: 1_000 }, () => event())));
    expect(sent.map(({ text }) => text).filter((text) => !/^(?:begin|commit)$/.test(text))).toHaveLength(1);
    expect(await countOf('outbox', tenant)).toBe(1_000);
  });
});
