import { afterAll, describe, expect, it } from '@jest/globals';
import { ScheduleNotFoundError } from '@temporalio/client';
import { createLogger } from '../../platform/logging/logger.ts';
import { openTemporal } from '../../platform/temporal/temporal-client.ts';
import { keepTemporalPrepared } from '../../worker/keep-temporal-prepared.ts';
import { sweepSchedule } from '../../workflows/starts.ts';
import { eventually } from '../support/eventually.ts';
import { aNamespace } from '../support/temporal.ts';

/* The tests run in order, on a namespace that is empty at first. */
const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = await aNamespace();
const temporal = openTemporal({ address, namespace });
afterAll(async () => temporal.close());

const logger = createLogger({ level: 'warn', format: 'json', name: 'worker' }, () => undefined);

/** Prepares Temporal as one worker does, until `signal` aborts. */
const prepare = async (onEmpty: () => Promise<void>, signal: AbortSignal) =>
  keepTemporalPrepared({ temporal, logger, onEmpty, signal });

/** Returns the sweep's Schedule; undefined when Temporal has none. */
async function schedule() {
  try {
    return await temporal.client().schedule.getHandle(sweepSchedule.scheduleId).describe();
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined;
    throw error;
  }
}

describe('a worker beside an empty Temporal', () => {
  it('leaves it empty when it ends before it has made the jobs due', async () => {
    const stopping = new AbortController();
    await prepare(async () => {
      stopping.abort();
      return Promise.reject(new Error('PostgreSQL is unavailable'));
    }, stopping.signal);
    expect(await schedule()).toBeUndefined();
  });

  it('makes the jobs due before it creates the Schedule, also after a former worker has failed to', async () => {
    const stopping = new AbortController();
    let found: unknown = 'not called';
    const preparing = prepare(async () => {
      found = await schedule();
    }, stopping.signal);
    await eventually(async () => expect(await schedule()).toBeDefined());
    stopping.abort();
    await preparing;
    expect(found).toBeUndefined();
  });

  it('updates an existing Schedule, and makes no job due', async () => {
    const updatedAt = async () => (await schedule())?.info.lastUpdatedAt?.getTime();
    const before = await updatedAt();
    const stopping = new AbortController();
    let calls = 0;
    const preparing = prepare(async () => {
      calls += 1;
      return Promise.resolve();
    }, stopping.signal);
    await eventually(async () => expect(await updatedAt()).not.toBe(before));
    stopping.abort();
    await preparing;
    expect(calls).toBe(0);
  });
});
