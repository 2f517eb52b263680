import { afterAll, describe, expect, it } from '@jest/globals';
import { maintainDayPartitions } from '../../../domain/maintenance/day-partitions.ts';
import { startTestApi } from '../../support/api.ts';
import { planForAnyValues, statementsOf } from '../../support/statements.ts';
import { aListeningTenant } from '../../support/webhooks.ts';
import { turnsOf } from '../../domain/webhooks/turns.ts';
import { at, create, hook } from './webhook-calls.ts';

const api = await startTestApi();
const turns = turnsOf(api);
await maintainDayPartitions(api.orm, Date.now(), 30);
afterAll(async () => {
  await turns.close();
  await api.close();
});

/* The index that delivers the rows in the order of the page, or the few rows of one message. */
const deliveryKey = /^delivery_\w+_pkey$/;
const attemptOrder = /^attempt_\w+_endpoint_id_at_idx$/;
const attemptKey = /^attempt_\w+_pkey$/;

const reads: readonly (readonly [operation: string, filter: object, index: RegExp])[] = [
  ['endpoints/messages/get', {}, deliveryKey],
  ['endpoints/messages/get', { status: 'failed' }, deliveryKey],
  ['endpoints/messages/get', { eventTypes: ['comment.add'] }, deliveryKey],
  ['endpoints/messages/get', { channel: 'plan', since: 1, until: 2 }, deliveryKey],
  ['endpoints/messages/get', { messageId: 'evt_1' }, deliveryKey],
  ['endpoints/attempts/get', {}, attemptOrder],
  ['endpoints/attempts/get', { status: 'failed' }, attemptOrder],
  ['endpoints/attempts/get', { messageId: 'evt_1' }, attemptKey],
  ['endpoints/attempts/get', { messageId: 'evt_1', status: 'failed' }, attemptKey],
];

describe('a page of messages or attempts', () => {
  it.each(reads)(
    'is read by an index scan for any number of rows: %s %j',
    async (operation, filter, index) => {
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
          const nodes = await planForAnyValues(client, text);
          const types = nodes.map((node) => node['Node Type']);
          expect(types.filter((type) => /Bitmap|Seq Scan|Hash Join|Merge Join/.test(type))).toEqual([]);
          const named = nodes.map((node) => node['Index Name'] ?? '');
          const indexes = named.filter((name) => /^(?:delivery|attempt)_/.test(name));
          // One of each partition.
          expect(indexes.length).toBeGreaterThan(7);
          for (const used of indexes) expect(used).toMatch(index);
        }
      } finally {
        await client.query('rollback');
        await client.end();
      }
    },
  );
});

describe('an update of an endpoint', () => {
  it('has the same statement for every set of members', async () => {
    const tenant = await aListeningTenant(api);
    const { id: endpointId } = await create(tenant, { url: hook });
    const values = {
      url: `${hook}/other`,
      description: 'D',
      filterTypes: ['comment.add'],
      channels: ['plan'],
      rateLimit: 5,
      disabled: true,
    };
    const changes: object[] = [values, ...Object.entries(values).map(([name, value]) => ({ [name]: value }))];
    const texts = new Set<string>();
    for (const change of changes) {
      const sent = await statementsOf(async () =>
        tenant.ok(at('endpoints/update'), { endpointId, ...change }),
      );
      for (const { text } of sent) if (text.includes('update "webhook_endpoint"')) texts.add(text);
    }
    expect(texts.size).toBe(1);
  });
});
