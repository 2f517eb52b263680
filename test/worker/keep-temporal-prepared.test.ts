import { afterAll, describe, expect, it } from '@jest/globals';
import { ScheduleNotFoundError } from '@temporalio/client';
import { createLogger } from '../../platform/logging/logger.ts';
import { openTemporal } from '../../platform/temporal/temporal-client.ts';
import { keepTemporalPrepared } from '../../worker/keep-temporal-prepared.ts';
import { searchAttributes } from '../../workflows/contract.ts';
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

/** The operator service's number of the type. */
const int = 3;

const handle = () => temporal.client().schedule.getHandle(sweepSchedule.scheduleId);

/** Returns the sweep's Schedule; undefined when Temporal has none. */
async function schedule() {
  try {
    return await handle().describe();
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined;
    throw error;
  }
}

/** Prepares Temporal until a sweep is triggered, the last step. Returns the calls that change something, by name. */
async function preparedOnce(): Promise<string[]> {
  const calls: string[] = [];
  const { operatorService, workflowService } = temporal.client().connection;
  const record = <Name extends string>(
    service: Readonly<Record<Name, unknown>>,
    name: Name,
  ): (() => void) => {
    const call = Reflect.get(service, name) as (this: unknown, ...input: unknown[]) => unknown;
    Reflect.set(service, name, function (this: unknown, ...input: unknown[]) {
      calls.push(name);
      return call.apply(this, input);
    });
    return () => Reflect.set(service, name, call);
  };
  const restores = [
    record(operatorService, 'addSearchAttributes'),
    record(workflowService, 'updateSchedule'),
    record(workflowService, 'patchSchedule'),
  ];
  const stopping = new AbortController();
  const preparing = prepare(async () => void calls.push('onEmpty'), stopping.signal);
  await eventually(() => calls.includes('patchSchedule'));
  stopping.abort();
  await preparing;
  for (const restore of restores) restore();
  return calls;
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

  it('leaves a current Schedule and its search attributes as they are, also while it is paused', async () => {
    await handle().pause('maintenance');
    const before = await schedule();
    expect(await preparedOnce()).toEqual(['patchSchedule']);
    const after = await schedule();
    expect(after?.info.lastUpdatedAt).toEqual(before?.info.lastUpdatedAt);
    expect(after?.state).toMatchObject({ paused: true, note: 'maintenance' });
  });

  it('updates a Schedule with other settings, which stays paused, and makes no job due', async () => {
    await handle().update((current) => ({ ...current, spec: { intervals: [{ every: '1h' }] } }));
    expect(await preparedOnce()).toEqual(['updateSchedule', 'patchSchedule']);
    const { spec, state } = (await schedule()) ?? {};
    expect(spec?.intervals).toMatchObject([{ every: sweepSchedule.everyMs }]);
    expect(state).toMatchObject({ paused: true, note: 'maintenance' });
  });
});

describe('a worker beside a namespace with a search attribute of another type', () => {
  it('creates the Schedule without it, and logs its name', async () => {
    const other = await aNamespace();
    const client = openTemporal({ address, namespace: other.TEMPORAL_NAMESPACE });
    const log: string[] = [];
    const warned = createLogger(
      { level: 'warn', format: 'json', name: 'worker' },
      (line) => void log.push(line),
    );
    const { connection } = client.client();
    await connection.operatorService?.addSearchAttributes({
      namespace: other.TEMPORAL_NAMESPACE,
      searchAttributes: { [searchAttributes.jobKind]: int },
    });
    const stopping = new AbortController();
    const preparing = keepTemporalPrepared({
      temporal: client,
      logger: warned,
      onEmpty: () => Promise.resolve(),
      signal: stopping.signal,
    });
    const { scheduleId } = sweepSchedule;
    await eventually(() => client.client().schedule.getHandle(scheduleId).describe());
    stopping.abort();
    await preparing;
    await client.close();
    expect(log.join('')).toContain(`"otherType":["${searchAttributes.jobKind}"]`);
    expect(log.join('')).not.toContain('Temporal setup');
  });
});
