import { describe, expect, it } from '@jest/globals';
import type { WorkflowToWake } from '../../platform/temporal/workflow-to-start.ts';
import { coalescedWakes } from '../../platform/temporal/wakes.ts';
import { eventually } from '../support/eventually.ts';

const workflow = (workflowId: string, fairnessKey = 'any'): WorkflowToWake => ({
  fairnessKey,
  workflowType: 'any',
  workflowId,
  taskQueue: 'any',
  input: {},
  summary: '',
  attributes: {},
  signal: 'wake',
});

/** Signals that were sent, as [id, milliseconds since the first request]. */
function listening(signal: (id: string) => Promise<void> = () => Promise.resolve(), flushMs = 600_000) {
  const began = performance.now();
  const signals: [string, number][] = [];
  const failed: string[] = [];
  const wakes = coalescedWakes({
    signal: async ({ workflowId }) => {
      signals.push([workflowId, performance.now() - began]);
      return signal(workflowId);
    },
    intervalMs: 100,
    retryDelaysMs: [50, 100],
    flushMs,
    onFailure: (workflowId) => failed.push(workflowId),
  });
  return {
    signals,
    failed,
    wake: (id: string, key?: string) => wakes.wake(workflow(id, key)),
    flush: async () => await wakes.flush(),
  };
}

describe('waking workflows', () => {
  it('signals immediately, and once more after the interval for any number of requests', async () => {
    const { signals, wake } = listening();
    for (let request = 0; request < 1_000; request += 1) wake('a');
    await eventually(() => signals.length === 1);
    await eventually(() => signals.length === 2);
    expect(signals[1]?.[1]).toBeGreaterThanOrEqual(99);
    wake('a');
    await eventually(() => signals.length === 3);
    expect(signals[2]?.[1]).toBeGreaterThanOrEqual(198);
  });

  it('flushes by sending pending signals at once and waiting for running ones', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { signals, wake, flush } = listening(async (id) => (id === 'slow' ? promise : undefined));
    wake('slow');
    wake('a');
    wake('a');
    const flushed = flush();
    await eventually(() => expect(signals.map(([id]) => id)).toEqual(['slow', 'a', 'a']));
    resolve();
    await flushed;
  });

  it('flushes for a limited time while Temporal hangs, and sends no signal after it', async () => {
    const hanging: (() => void)[] = [];
    const hang = async () => new Promise<void>((resolve) => hanging.push(resolve));
    const { signals, wake, flush } = listening(hang, 50);
    for (let at = 0; at < 1_000; at += 1) wake(`endpoint-${String(at)}`);
    await flush();
    for (const end of hanging) end();
    await new Promise((resolve) => setImmediate(resolve));
    expect(signals).toHaveLength(50);
  });

  it('coalesces each workflow separately', async () => {
    const { signals, wake } = listening();
    for (const id of ['a', 'b', 'c', 'a']) wake(id);
    await eventually(() => expect(signals.map(([id]) => id).slice(0, 3)).toEqual(['a', 'b', 'c']));
  });

  it('sends at most 100 signals concurrently, 50 of them of one key', async () => {
    let [sending, most] = [0, 0];
    const { signals, wake, flush } = listening(async () => {
      sending += 1;
      most = Math.max(most, sending);
      await new Promise((resolve) => setImmediate(resolve));
      sending -= 1;
    });
    for (let at = 0; at < 500; at += 1) wake(`endpoint-${String(at)}`, 'one');
    await flush();
    expect([signals.length, most]).toEqual([500, 50]);
    for (let at = 0; at < 1_500; at += 1) wake(`another-${String(at)}`, `key-${String(at % 3)}`);
    await flush();
    expect([signals.length, most]).toEqual([2_000, 100]);
  });

  it('sends the signal of a key before most of those of another key that woke 10,000 endpoints', async () => {
    const { signals, wake, flush } = listening(async () => new Promise((resolve) => setImmediate(resolve)));
    for (let at = 0; at < 10_000; at += 1) wake(`endpoint-${String(at)}`, 'large');
    wake('other', 'small');
    await flush();
    expect(signals.findIndex(([id]) => id === 'other')).toBeLessThan(200);
  });

  it('fails at once while the wakes of 20,000 other workflows wait, and not afterwards', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { signals, failed, wake, flush } = listening(async () => promise);
    for (let at = 0; at < 20_000; at += 1) wake(`endpoint-${String(at)}`);
    wake('one too many');
    wake('endpoint-19999');
    expect(failed).toEqual(['one too many']);
    resolve();
    await flush();
    expect(new Set(signals.map(([id]) => id)).size).toBe(20_000);
    await eventually(() => {
      wake('one too many');
      return signals.some(([id]) => id === 'one too many');
    });
  });

  it('sends a signal again for a request made while it was being sent, even when it failed', async () => {
    const { promise, reject } = Promise.withResolvers<void>();
    let first = true;
    const { signals, failed, wake } = listening(async () => {
      if (!first) return;
      first = false;
      await promise;
    });
    wake('a');
    wake('a');
    await eventually(() => signals.length === 1);
    reject(new Error('Temporal is away.'));
    await eventually(() => signals.length === 2);
    expect(failed).toEqual(['a']);
  });

  it('sends a failed signal again, at most twice, and then starts again', async () => {
    let away = true;
    const { signals, failed, wake } = listening(async () => {
      if (away) throw new Error('Temporal is away.');
    });
    wake('a');
    await eventually(() => failed.length === 3);
    away = false;
    // A request restarts the signals only after the last failure was handled.
    await eventually(() => {
      if (signals.length === 3) wake('a');
      return signals.length > 3;
    });
    expect(failed).toEqual(['a', 'a', 'a']);
  });

  it('flushes a failed signal that waits to be sent again', async () => {
    let away = true;
    const { signals, failed, wake, flush } = listening(async () => {
      if (away) throw new Error('Temporal is away.');
    });
    wake('a');
    await eventually(() => failed.length === 1);
    away = false;
    await flush();
    expect(signals).toHaveLength(2);
  });
});
