import { describe, expect, it } from '@jest/globals';
import { cancelWaiting } from '../../../domain/webhooks/delivery/cancel-waiting.ts';
import { continueOutageRecovery } from '../../../domain/webhooks/delivery/outage.ts';
import { resolve, type Destination, type EndpointRef } from '../../../domain/webhooks/delivery/resolve.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { transacted } from '../../support/in-transaction.ts';
import { isTransactionCommand, statementsOf } from '../../support/statements.ts';
import { deliveryScene } from './delivery-scene.ts';

const { api, database, listening } = await deliveryScene();

/** An endpoint with 3,000 messages that wait for a retry. `eventAt`: SQL of the time of the event number `n`. */
async function waiting(eventAt: string): Promise<EndpointRef> {
  const { tenant, endpoint } = await listening();
  await database.sql(
    `insert into delivery (api_key_id, endpoint_id, event_id, event_at, next_at, attempts, step)
     select $1, w.id, n, ${eventAt}, now() + interval '1 hour' + n * interval '1 microsecond', 1, 1
     from webhook_endpoint w, generate_series(1, 3000) n where w.public_id = $2`,
    [tenant.id, endpoint],
  );
  await database.sql('analyze delivery');
  return { tenantId: tenant.id, endpointId: endpoint };
}

type Act = (em: EntityManager, destination: Destination) => Promise<unknown>;

/** The statements of a transaction of a turn, which is rolled back. */
async function statementsOfTurn(ref: EndpointRef, act: Act) {
  const undone = new Error('Rolled back.');
  const turn = transacted(api.orm, async (em) => {
    const destination = await resolve(em, api.keyRing, ref);
    if (destination !== undefined) await act(em, destination);
    throw undone;
  });
  const sent = await statementsOf(async () => expect(turn).rejects.toBe(undone));
  return sent.filter((statement) => !isTransactionCommand(statement));
}

interface MeasuredNode {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly MeasuredNode[];
}

const below = (node: MeasuredNode): MeasuredNode[] => [node, ...(node.Plans ?? []).flatMap(below)];

/** The greatest number of rows of any step of the updates of messages, and the number of blocks that they visit. */
async function workOf(ref: EndpointRef, act: Act): Promise<{ rows: number; blocks: number }> {
  const sent = await statementsOfTurn(ref, act);
  const client = await database.connect();
  const nodes: MeasuredNode[] = [];
  try {
    await client.query('begin; set local plan_cache_mode = force_generic_plan');
    for (const { text, values } of sent) {
      if (!text.includes('update delivery')) {
        await client.query(text, [...values]);
        continue;
      }
      const { rows } = await client.query<{ 'QUERY PLAN': readonly { Plan: MeasuredNode }[] }>(
        `explain (analyze, buffers, format json) ${text}`,
        [...values],
      );
      nodes.push(...rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => below(Plan))));
    }
    await client.query('rollback');
  } finally {
    await client.end();
  }
  return {
    rows: Math.max(...nodes.map((node) => node['Actual Rows'] * node['Actual Loops'])),
    blocks: Math.max(...nodes.map((node) => node['Shared Hit Blocks'] + node['Shared Read Blocks'])),
  };
}

const events: readonly (readonly [name: string, eventAt: string])[] = [
  ['with a time each', `now() - n * interval '1 millisecond'`],
  ['of one transaction', 'now()'],
];

/** All pairs of two lists of the messages, or one list read for each message, would be 1,000,000. */
const enough = 50_000;

describe('a batch of 1,000 messages', () => {
  it.each(events)('becomes due without comparing all with all: events %s', async (_, eventAt) => {
    const ref = await waiting(eventAt);
    await database.sql('update webhook_endpoint set recovered_until = now() where public_id = $1', [
      ref.endpointId,
    ]);
    const { rows, blocks } = await workOf(ref, async (em, destination) =>
      continueOutageRecovery(em, destination, []),
    );
    expect(rows).toBeGreaterThanOrEqual(1_000);
    expect(rows).toBeLessThan(enough);
    expect(blocks).toBeLessThan(enough);
  });

  it.each(events)('is canceled without comparing all with all: events %s', async (_, eventAt) => {
    const ref = await waiting(eventAt);
    await database.sql('update webhook_endpoint set disabled_at = now() where public_id = $1', [
      ref.endpointId,
    ]);
    const { rows, blocks } = await workOf(ref, async (em, destination) =>
      cancelWaiting(em, destination, 'disabled'),
    );
    expect(rows).toBeGreaterThanOrEqual(1_000);
    expect(rows).toBeLessThan(enough);
    expect(blocks).toBeLessThan(enough);
  });
});
