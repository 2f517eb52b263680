import { describe, expect, it } from '@jest/globals';
import { emitRecordings } from '../../domain/recordings/emit-recordings.ts';
import { prepareRecordings } from '../../domain/recordings/recording.ts';
import type { RecordingLocation } from '../../domain/recordings/write-recordings.ts';
import type { Tenant } from '../../domain/tenancy/tenant.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { atOnce, inTurns } from '../../platform/process/in-turns.ts';

/** The largest recordings of a call: 12 MiB. */
const recordings = Array.from({ length: 1_000 }, (_, at) => ({
  id: `r${String(at)}`,
  idSent: true,
  createdAt: 1,
  lastUpdated: 1,
  body: {
    from: { userId: 'ada' },
    context: Object.fromEntries(
      Array.from({ length: 400 }, (_, key) => [`member-${String(key)}`, `text ${String(at)}`]),
    ),
  },
}));

/** Returns the number of event-loop iterations in which other requests are served during `act`. */
async function turnsOf(act: () => Promise<unknown>): Promise<number> {
  let [turns, ended] = [0, false];
  const count = (): void => {
    turns += 1;
    if (!ended) setImmediate(count);
  };
  setImmediate(count);
  await act().catch(() => undefined);
  ended = true;
  return turns;
}

describe('1,000 large recordings of a call', () => {
  it('are prepared while other requests are served', async () => {
    expect(await turnsOf(async () => inTurns(prepareRecordings(recordings)))).toBeGreaterThan(2);
  });

  it('become activity logs while other requests are served', async () => {
    const written = atOnce(prepareRecordings(recordings)).map((recording) => ({
      recording,
      createdAt: 1,
      lastUpdated: 1,
      exists: false,
    }));
    // The first statement fails, after the activity logs were made.
    const em = { fork: undefined } as unknown as EntityManager;
    const tenant = { id: '1', switches: { activityLogs: true, webhooks: true } } as Tenant;
    const location = { users: new Map<string, string>() } as unknown as RecordingLocation;
    expect(await turnsOf(async () => emitRecordings(em, tenant, location, written))).toBeGreaterThan(2);
  });
});
