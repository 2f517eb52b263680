import { afterAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { z } from 'zod';
import { rowsOf } from '../../../platform/database/statements.ts';
import { aDatabase } from '../../support/database.ts';
import { aMailingTenant, notified } from '../../support/senders.ts';
import { sendingScene } from '../../support/sending-scene.ts';

const zone = 'Europe/Berlin';
const hour = 3_600_000;
const minute = 60_000;

const database = await aDatabase();
const [{ name } = { name: '' }] = await database.sql<{ name: string }>('select current_database() as name');
await database.sql(`alter database ${name} set timezone = '${zone}'`);
const { api, mail, senders } = await sendingScene({ database });
// Runs after the scene has closed the API.
afterAll(database.drop);

const hoursAhead = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
const offsetAt = (ms: number): string => hoursAhead.format(ms).split('GMT').at(-1) ?? '';

/** Returns the zone's next clock change to `offset`, in milliseconds since the epoch. */
function nextChangeTo(offset: string): number {
  const first = Math.ceil(Date.now() / hour) * hour + 24 * hour;
  for (let at = first; at < first + 400 * 24 * hour; at += hour)
    if (offsetAt(at - hour) !== offset && offsetAt(at) === offset) return at;
  throw new Error(`no change to ${offset} within 400 days`);
}

describe('a sender in a database with another time zone', () => {
  it('uses sessions of that zone', async () => {
    const zones = await rowsOf(
      api.orm.em.fork(),
      z.object({ zone: z.string() }),
      sql`select current_setting('timezone') as zone`,
    );
    expect(zones).toEqual([{ zone }]);
  });
});

describe('a window over a change of clocks', () => {
  it.each([
    ['forward', '+02:00'],
    ['back', '+01:00'],
  ])('lasts as long as configured when the clocks change %s', async (_direction, offset) => {
    const changesAt = nextChangeTo(offset);
    const opensAt = changesAt - 30 * minute;
    const window = { isEnabled: true, batchWindowSeconds: 7_200, maxActivities: 50 };
    const tenant = await aMailingTenant(api, {
      batchConfig: { document: window, user: { ...window, isEnabled: false } },
    });
    await notified(tenant);
    await api.database.sql(
      'update notice set due_at = to_timestamp($2::float8 / 1000) where api_key_id = $1',
      [tenant.id, opensAt],
    );
    const sentBefore = mail.mails.length;
    const turnAt = async (ms: number) => senders.turn(tenant, ms - Date.now());
    await turnAt(opensAt + 1);
    const closes = await api.database.sql<{ seconds: number }>(
      'select round(extract(epoch from closes_at))::float8 as seconds from notice_window where api_key_id = $1',
      [tenant.id],
    );
    expect(closes).toEqual([{ seconds: (opensAt + 2 * hour) / 1_000 }]);
    await turnAt(opensAt + 2 * hour - minute);
    expect(mail.mails.length - sentBefore).toBe(0);
    await turnAt(opensAt + 2 * hour + minute);
    expect(mail.mails.length - sentBefore).toBe(1);
  });
});
