import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aiProviders, saying, withProviderKeys, type TestProviders } from '../support/ai-providers.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import type { Response } from '../support/client.ts';
import { eventually, repeatUntil } from '../support/eventually.ts';
import { calledThrough, aTenant, freshId, type TestTenant } from '../support/factories.ts';
import { startProcess, type TestProcess } from '../support/processes.ts';
import { aNamespace } from '../support/temporal.ts';

const path = '/v2/rewriter/ask-ai';
const question = { model: 'gpt-4o', prompt: 'Make it friendlier.', text: 'Send me the plan.' };

let providers: TestProviders;
let api: TestApi;
let stalling: TestProcess;
let worker: TestProcess;
let tenant: TestTenant;
/** Calls to the provider without a response so far. */
let held: ((text: string) => void)[];

beforeAll(async () => {
  providers = await aiProviders();
  const temporal = await aNamespace();
  api = await startTestApi({ environment: temporal });
  worker = await startProcess('worker', api.database.url, { ...temporal, ...providers.environment });
  stalling = await startProcess('api', api.database.url, temporal);
  tenant = await withProviderKeys(await aTenant(api), 'sk-of-the-tests');
  // A call is UNAVAILABLE when the first connection to Temporal takes more than 2 s, as on a busy machine.
  for (const caller of [tenant, calledThrough(stalling, tenant)])
    await eventually(async () => (await caller.call(path, question)).status === 200);
});

afterAll(async () => {
  await stalling.kill();
  await worker.stop();
  await api.close();
  await providers.close();
});

/**
 * Repeats a scenario with a new key while it returns false, because Temporal was too slow: the stalling process has the
 * limits of production, whose calls fail when Temporal does not respond for 1.5 s. What a response says is not repeated.
 */
async function repeated(scenario: (idempotencyKey: string) => Promise<boolean>): Promise<void> {
  await repeatUntil(async () => {
    held = [];
    providers.behave((call, response, number) => {
      held.push((text) => {
        if (!response.headersSent) void saying(text)(call, response, number);
      });
    });
    try {
      return await scenario(freshId('key'));
    } finally {
      process.kill(stalling.pid, 'SIGCONT');
      // Otherwise the worker would call the provider again in the next attempt.
      for (const respond of held) respond('Too late.');
    }
  });
}

const isTooLate = ({ status, body }: Response): boolean =>
  status === 503 || (body.result as { readonly code?: unknown } | undefined)?.code === 'timeout';

/**
 * A call whose process is stopped while it waits, and the same call at another process after the lease has expired.
 * Undefined when the first call ended before.
 */
async function overtaken(idempotencyKey: string) {
  const first = calledThrough(stalling, tenant).call(path, question, { idempotencyKey });
  let ended = false;
  const end = (): void => void (ended = true);
  first.then(end, end);
  await eventually(() => ended || held.length > 0);
  if (ended) {
    expect(isTooLate(await first)).toBe(true);
    return undefined;
  }
  expect(held).toHaveLength(1);
  process.kill(stalling.pid, 'SIGSTOP');
  await api.database.sql(`update idempotency set lease_until = now() - interval '1 second'
    where http_status is null`);
  const second = tenant.call(path, question, { idempotencyKey });
  await eventually(async () => {
    const leases = await api.database.sql('select from idempotency where lease_until > now()');
    return leases.length === 1;
  });
  return { first, second };
}

describe('an AI call whose process stalls past its lease', () => {
  it('returns ABORTED when a later call holds its key, and does not replace that call’s text', async () => {
    await repeated(async (key) => {
      const calls = await overtaken(key);
      if (calls === undefined) return false;
      held[0]?.('Would you send me the plan?');
      const response = await calls.second;
      if (isTooLate(response)) return false;
      expect(response.body.result).toMatchObject({ success: true, text: 'Would you send me the plan?' });
      process.kill(stalling.pid, 'SIGCONT');
      const late = await calls.first;
      const replay = await calledThrough(stalling, tenant).call(path, question, { idempotencyKey: key });
      if (isTooLate(late) || isTooLate(replay)) return false;
      expect([late.status, late.body.error?.status, late.headers['retry-after']]).toEqual([
        409,
        'ABORTED',
        '1',
      ]);
      expect([replay.headers['idempotent-replayed'], replay.text]).toEqual(['true', response.text]);
      expect(held).toHaveLength(1);
      return true;
    });
  });

  it('neither returns the text of a later call nor releases its key', async () => {
    await repeated(async (key) => {
      const calls = await overtaken(key);
      if (calls === undefined) return false;
      process.kill(stalling.pid, 'SIGCONT');
      const third = await tenant.call(path, question, { idempotencyKey: key });
      held[0]?.('Once.');
      const [late, response] = await Promise.all([calls.first, calls.second]);
      const replay = await tenant.call(path, question, { idempotencyKey: key });
      if ([third, late, response, replay].some(isTooLate)) return false;
      expect([third.status, late.status]).toEqual([409, 409]);
      expect(response.body.result).toMatchObject({ success: true, text: 'Once.' });
      expect([replay.headers['idempotent-replayed'], replay.text]).toEqual(['true', response.text]);
      expect(held).toHaveLength(1);
      expect(await api.database.sql('select from staged_request')).toEqual([]);
      return true;
    });
  });
});
