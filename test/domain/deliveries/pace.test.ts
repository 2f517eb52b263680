import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { claimDeliveries, maxClaimed } from '../../../domain/deliveries/claim-deliveries.ts';
import { databaseClock } from '../../../domain/deliveries/clock.ts';
import { readLaneState } from '../../../domain/deliveries/lane-state.ts';
import { channelNumbers } from '../../../domain/notices/channels.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import type { TestTenant } from '../../support/factories.ts';
import { aMailServer, type MailServer } from '../../support/mail-server.ts';
import { aMailingTenant, logOf, notified, sendersOf, waitingOf } from '../../support/senders.ts';
import { casesOf } from '../../support/tier.ts';

let api: TestApi;
let mail: MailServer;

beforeAll(async () => {
  api = await startTestApi();
  mail = await aMailServer();
});
afterAll(async () => {
  await mail.close();
  await api.close();
});

/** Resets the key to `count` due deliveries without claims. */
async function deliveriesOf({ id }: TestTenant, count: number): Promise<void> {
  await api.database.sql('delete from outgoing where api_key_id = $1', [id]);
  await api.database.sql('delete from channel_pace where api_key_id = $1', [id]);
  await api.database.sql(
    `insert into outgoing (public_id, api_key_id, org_id, user_id, channel, digest, next_at)
     select gen_random_uuid()::text, $1, 1, 1, $2, false, now() from generate_series(1, $3)`,
    [id, channelNumbers.email, count],
  );
}

/** Advances the time of the key's rate limit. */
async function passed({ id }: TestTenant, milliseconds: number): Promise<void> {
  await api.database.sql(
    `update channel_pace set next_at = next_at - $2 * interval '1 millisecond' where api_key_id = $1`,
    [id, milliseconds],
  );
}

/** Deliveries that are due in each run of the property. */
const due = 600;

const aStep = fc.record({
  afterMs: fc.integer({ min: 0, max: 1_500 }),
  senders: fc.integer({ min: 1, max: 4 }),
});

describe('the rate limit of a key’s provider', () => {
  it('applies over claims of several senders, and admits the next claim when it is due', async () => {
    const tenant = await aMailingTenant(api);
    const lane = { tenantId: tenant.id, channel: 'email', now: databaseClock(0) } as const;
    const property = fc.asyncProperty(
      fc.integer({ min: 1, max: 120 }),
      fc.array(aStep, { minLength: 1, maxLength: 8 }),
      async (perSecond, steps) => {
        await deliveriesOf(tenant, due);
        const batch = Math.min(maxClaimed, perSecond);
        const began = performance.now();
        let skippedMs = 0;
        const claimed: string[] = [];
        for (const { afterMs, senders } of steps) {
          await passed(tenant, afterMs);
          skippedMs += afterMs;
          const claims = await Promise.all(
            Array.from({ length: senders }, async () =>
              claimDeliveries(api.orm, lane, { max: maxClaimed, perSecond }),
            ),
          );
          const ids = claims.flat().map(({ id }) => id);
          const isFree = claimed.length === 0 || afterMs >= 1_000;
          if (isFree) expect(ids.length).toBeGreaterThanOrEqual(Math.min(batch, due - claimed.length));
          claimed.push(...ids);
          const seconds = (performance.now() - began + skippedMs) / 1_000;
          expect(claimed.length).toBeLessThanOrEqual(batch + perSecond * seconds);
        }
        expect(new Set(claimed).size).toBe(claimed.length);
      },
    );
    await fc.assert(property, { numRuns: casesOf(25) });
  });

  it('does not delay other keys, or a key without a limit', async () => {
    const [first, second] = [await aMailingTenant(api), await aMailingTenant(api)];
    await deliveriesOf(first, 60);
    await deliveriesOf(second, 60);
    const claim = async ({ id: tenantId }: TestTenant, perSecond: number | undefined) => {
      const lane = { tenantId, channel: 'email', now: databaseClock(0) } as const;
      return (await claimDeliveries(api.orm, lane, { max: 20, perSecond })).length;
    };
    expect(await claim(first, 1)).toBe(1);
    // On a slow machine, the second of the claim may pass before the next one.
    await passed(first, -55_000);
    expect(await claim(first, 1)).toBe(0);
    expect(await claim(second, 1)).toBe(1);
    expect(await claim(first, undefined)).toBe(20);
    expect(await claim(first, undefined)).toBe(20);
  });

  it('applies to concurrent senders that follow a stopped one', async () => {
    const tenant = await aMailingTenant(api);
    for (let nth = 0; nth < 4; nth += 1) await notified(tenant);
    const takenBefore = mail.mails.length;
    const sent = () => mail.mails.length - takenBefore;
    const messaging = { emailsPerSecond: 1 };
    const stopped = new AbortController();
    const former = sendersOf(api, mail.url, { messaging, signal: stopped.signal });
    const others = [sendersOf(api, mail.url, { messaging }), sendersOf(api, mail.url, { messaging })];
    const began = performance.now();
    const turn = former.turn(tenant);
    await eventually(() => expect(sent()).toBeGreaterThanOrEqual(1));
    stopped.abort();
    await turn;
    await Promise.all(others.map(async (sender) => sender.turn(tenant)));
    await eventually(async () => expect(await waitingOf(api, tenant)).toMatchObject({ outgoing: 0 }));
    expect(sent()).toBe(4);
    expect(await logOf(api, tenant)).toHaveLength(4);
    expect(performance.now() - began).toBeGreaterThanOrEqual(3_000);
    for (const { close } of [former, ...others]) await close();
  });

  it('ignores a time that was reserved before the clock of PostgreSQL stepped back', async () => {
    const tenant = await aMailingTenant(api);
    const lane = { tenantId: tenant.id, channel: 'email', now: databaseClock(0) } as const;
    await deliveriesOf(tenant, 2);
    const claimed = async () => (await claimDeliveries(api.orm, lane, { max: 1, perSecond: 1 })).length;
    expect(await claimed()).toBe(1);
    await passed(tenant, -3_600_000);
    expect((await readLaneState(api.orm.em.fork(), lane, lane.now)).pacedMs).toBe(0);
    expect(await claimed()).toBe(1);
  });
});
