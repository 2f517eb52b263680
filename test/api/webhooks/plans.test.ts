import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { statementsOf } from '../../support/statements.ts';
import { aListeningTenant } from '../../support/webhooks.ts';
import { turnsOf } from '../../domain/webhooks/turns.ts';
import { at, create, hook } from './webhook-calls.ts';

const api = await startTestApi();
const turns = turnsOf(api);
afterAll(async () => {
  await turns.close();
  await api.close();
});

const reads: readonly (readonly [operation: string, filter: object])[] = [
  ['endpoints/messages/get', {}],
  ['endpoints/messages/get', { status: 'failed' }],
  ['endpoints/messages/get', { eventTypes: ['comment.add'] }],
  ['endpoints/messages/get', { channel: 'plan', since: 1, until: 2 }],
  ['endpoints/messages/get', { messageId: 'evt_1' }],
  ['endpoints/attempts/get', {}],
  ['endpoints/attempts/get', { status: 'failed' }],
  ['endpoints/attempts/get', { messageId: 'evt_1' }],
];

describe('a page of messages or attempts', () => {
  it.each(reads)('is read by an index scan for any number of rows: %s %j', async (operation, filter) => {
    const tenant = await aListeningTenant(api);
    const { id: endpointId } = await create(tenant, { url: hook });
    await turns.queued(tenant, 1);
    await api.database.sql(`update event set public_id = 'evt_1' where api_key_id = $1`, [tenant.id]);
    const sent = await statementsOf(async () => tenant.call(at(operation), { endpointId, ...filter }));
    const settings = sent.filter(({ text }) => text.includes('set_config'));
    const scans = sent.filter(({ text }) => text.includes('scanned as'));
    expect([settings.length, scans.length]).toEqual([1, 1]);
    const client = await api.database.connect();
    try {
      await client.query('begin');
      for (const { text } of settings) await client.query(text);
      for (const { text } of scans) {
        const { rows } = await client.query<Record<string, string>>(`explain (generic_plan) ${text}`);
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        // A sort node would have read every row first.
        expect(plan).not.toMatch(/Bitmap|Seq Scan|Hash Join|Merge Join/);
        expect(plan).toMatch(/Index (?:Only )?Scan(?: Backward)? using (?:delivery|attempt)/);
      }
    } finally {
      await client.query('rollback');
      await client.end();
    }
  });
});
