import { describe, expect, it } from '@jest/globals';
import type { EntityManager, Orm } from '../../../platform/database/orm.ts';
import { explain, statementsOf } from '../../support/statements.ts';
import { responding } from '../../support/receiver.ts';
import { inFull } from '../../support/tier.ts';
import { deliveryScene } from './delivery-scene.ts';

const { api, database, turn, queued, messages, later, receiving, listening } = await deliveryScene();

/** A receiver that is back after a minute, and this many messages whose next attempt is due in hours, 1 ms apart. */
async function outage(count: number) {
  const { tenant, receiver, endpoint } = await listening();
  await queued(tenant, count);
  await database.sql(
    `update delivery set attempts = 2, step = 2, retry_at = due.at, next_at = due.at
     from (select event_id as id, now() + interval '2 hours' + row_number() over (order by event_id) * interval '1 ms' as at
       from delivery where api_key_id = $1) due
     where api_key_id = $1 and event_id = due.id`,
    [tenant.id],
  );
  await database.sql(
    `update webhook_endpoint set failing_since = now() - interval '1 minute' where public_id = $1`,
    [endpoint],
  );
  const late = async () => (await messages(tenant)).filter(({ due_in }) => (due_in ?? 0) > 60).length;
  const recovery = async () =>
    (
      await database.sql<{ failing: boolean; recovering: boolean; spares: boolean | null }>(
        `select failing_since is not null as failing, recovered_until is not null as recovering, recovery_spares as spares
         from webhook_endpoint where public_id = $1`,
        [endpoint],
      )
    )[0];
  return { tenant, receiver, endpoint, late, recovery };
}

/** `ended`: resolves when the process ends, after so many uses of the database. What it does then never returns. */
function killedAfter(transactions: number): { orm: Orm; ended: Promise<void> } {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let used = 0;
  const fork = (): EntityManager => {
    used += 1;
    if (used <= transactions) return api.orm.em.fork();
    resolve();
    const never = async () => new Promise<never>(() => undefined);
    return { transactional: never } as unknown as EntityManager;
  };
  return { orm: { em: { fork } as EntityManager }, ended };
}

/** A turn that ends with the first success; its receiver accepts everything afterwards. */
async function endedAtSuccess({ tenant, receiver, endpoint }: Awaited<ReturnType<typeof outage>>) {
  const closing = new AbortController();
  receiver.behave((_, response) => {
    closing.abort();
    response.end();
  });
  await queued(tenant);
  return turn(tenant, endpoint, { signal: closing.signal });
}

/** Messages of more than the 1,000 that one step of a recovery reaches. */
const many = inFull ? 2_500 : 1_100;

describe('a recovery from an outage', () => {
  // The first transaction claims a new event. A later one records its success: on a slow machine, after empty polls.
  it.each(inFull ? [2, 3, 4, 5] : [2, 4])(
    'leaves no message late after a crash behind transaction %d',
    async (transactions) => {
      const { tenant, receiver, endpoint, late, recovery } = await outage(many);
      await queued(tenant);
      const { orm, ended } = killedAfter(transactions);
      turn(tenant, endpoint, { orm }).catch(() => undefined);
      await ended;
      const { failing, recovering } = (await recovery()) ?? {};
      expect({ isKnown: failing === true || recovering === true || (await late()) === 0 }).toEqual({
        isKnown: true,
      });
      await database.sql('update delivery set claimed_until = now() where api_key_id = $1', [tenant.id]);
      await turn(tenant, endpoint);
      expect(receiver.ids().size).toBe(many + 1);
      expect((await messages(tenant)).filter(({ status }) => status !== 1)).toEqual([]);
      expect(await recovery()).toEqual({ failing: false, recovering: false, spares: null });
    },
  );

  it('continues in the next turn when its turn ends', async () => {
    const scene = await outage(many);
    expect(await endedAtSuccess(scene)).toEqual({ nextIn: 0 });
    expect(await scene.late()).toBe(many - 1_000);
    await turn(scene.tenant, scene.endpoint);
    expect(scene.receiver.ids().size).toBe(many + 1);
  });

  it('reaches messages that are due at the same time', async () => {
    const scene = await outage(many);
    await database.sql(
      `update delivery set next_at = (select max(next_at) from delivery where api_key_id = $1)
       where api_key_id = $1 and sequence > 500`,
      [scene.tenant.id],
    );
    await endedAtSuccess(scene);
    expect(await scene.late()).toBe(0);
  });

  it('reaches messages behind 1,000 that got their extra attempts', async () => {
    const scene = await outage(1_500);
    const { tenant, receiver, endpoint } = scene;
    await database.sql('update delivery set attempts = 20 where api_key_id = $1 and sequence <= 1200', [
      tenant.id,
    ]);
    await queued(tenant);
    await turn(tenant, endpoint);
    expect(receiver.ids().size).toBe(301);
    expect(await scene.late()).toBe(1_200);
    expect(await scene.recovery()).toMatchObject({ recovering: false });
  });

  it('begins again after another outage, for messages that it has passed', async () => {
    const scene = await outage(1_500);
    const { tenant, receiver, endpoint } = scene;
    await endedAtSuccess(scene);
    await database.sql(
      `update delivery set next_at = now() + interval '1 hour' where api_key_id = $1 and status = 0 and next_at <= now()`,
      [tenant.id],
    );
    await database.sql(
      `update webhook_endpoint set failing_since = now() - interval '1 minute' where public_id = $1`,
      [endpoint],
    );
    await later(tenant, '31 seconds');
    await queued(tenant);
    await turn(tenant, endpoint);
    expect(receiver.ids().size).toBe(1_502);
    expect(await scene.late()).toBe(0);
  });

  it('from a long outage goes on after a short one, so that messages get no extra attempts again and again', async () => {
    const scene = await outage(many);
    const { tenant, endpoint } = scene;
    const failingFor = async (time: string) =>
      database.sql(`update webhook_endpoint set failing_since = now() - $2::interval where public_id = $1`, [
        endpoint,
        time,
      ]);
    await failingFor('10 minutes');
    await endedAtSuccess(scene);
    expect(await scene.recovery()).toMatchObject({ recovering: true, spares: false });
    await database.sql(
      `update delivery set attempts = 20, next_at = now() + interval '1 hour'
       where api_key_id = $1 and status = 0 and next_at <= now()`,
      [tenant.id],
    );
    await failingFor('10 seconds');
    await queued(tenant);
    await turn(tenant, endpoint);
    expect(await scene.recovery()).toEqual({ failing: false, recovering: false, spares: null });
    expect(await scene.late()).toBe(1_000);
  });

  it('pauses while the endpoint fails again', async () => {
    const scene = await outage(many);
    const { tenant, receiver, endpoint } = scene;
    await endedAtSuccess(scene);
    await database.sql('update webhook_endpoint set failing_since = now() where public_id = $1', [endpoint]);
    receiver.behave(responding(503));
    await turn(tenant, endpoint);
    expect(receiver.ids().size).toBeLessThanOrEqual(1_001);
    expect(await scene.recovery()).toMatchObject({ failing: true, recovering: true });
  });

  it('waits while webhooks are off', async () => {
    const scene = await outage(many);
    await endedAtSuccess(scene);
    await scene.tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: false });
    expect(await turn(scene.tenant, scene.endpoint)).toEqual({ nextIn: undefined });
    expect(await scene.late()).toBe(many - 1_000);
    await scene.tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    await turn(scene.tenant, scene.endpoint);
    expect(scene.receiver.ids().size).toBe(many + 1);
  });

  it.each([
    ['ends when its endpoint gets another URL', async () => ({ url: (await receiving()).url }), false],
    ['ends when its endpoint is disabled', async () => ({ disabled: true }), false],
    ['continues after other changes of its endpoint', async () => ({ rateLimit: 9, disabled: false }), true],
  ])('%s', async (_, changes, recovering) => {
    const scene = await outage(1_100);
    await endedAtSuccess(scene);
    const update = { endpointId: scene.endpoint, ...(await changes()) };
    await scene.tenant.ok('/v2/workspace/advancedwebhook/endpoints/update', update);
    expect(await scene.recovery()).toMatchObject({ recovering });
  });

  it('ends when 410 Gone disables its endpoint', async () => {
    const scene = await outage(1_100);
    await endedAtSuccess(scene);
    scene.receiver.behave((_, response) => {
      response.statusCode = 410;
      response.end();
    });
    await later(scene.tenant, '31 seconds');
    await turn(scene.tenant, scene.endpoint);
    expect(await scene.recovery()).toMatchObject({ recovering: false });
    expect((await messages(scene.tenant)).filter(({ status }) => status === 0)).toEqual([]);
  });

  it('finds its messages by the index on their due times', async () => {
    const { tenant, endpoint } = await outage(20);
    await queued(tenant);
    const sent = await statementsOf(async () => turn(tenant, endpoint));
    const [text = '', ...others] = new Set(
      sent.map((one) => one.text).filter((one) => one.includes('scanned as')),
    );
    expect(others).toEqual([]);
    const lookingUp = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'];
    const { indexes, conditions, wholeTables } = await explain(database, { text }, lookingUp);
    expect(wholeTables).toEqual([]);
    const due = conditions.filter((_, at) => indexes[at]?.endsWith('_endpoint_id_next_at_idx'));
    // The limit of a batch, and its messages.
    expect(due.some((condition) => condition.includes('next_at <='))).toBe(true);
    expect(due.every((condition) => condition.includes('next_at >'))).toBe(true);
    const byKey = conditions.filter((_, at) => indexes[at]?.endsWith('_pkey'));
    expect(byKey.length).toBeGreaterThan(0);
    expect(byKey.filter((condition) => !condition.includes('event_at ='))).toEqual([]);
  });
});
