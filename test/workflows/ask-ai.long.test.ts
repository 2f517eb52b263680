import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { path, prompt, providerKey, text } from '../api/rewriter/rewriter-scene.ts';
import { inTurn, providersOwnWords, refusing, saying, withProviderKeys } from '../support/ai-providers.ts';
import { startTestApi } from '../support/api.ts';
import type { Response } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { calledThrough, aTenant, type TestTenant } from '../support/factories.ts';
import { killed, startProcess } from '../support/processes.ts';
import { aClosableProxy } from './closable-proxy.ts';
import {
  ask,
  asking,
  askOnce,
  calledBeforeEnd,
  closing,
  hanging,
  lostAttempt,
  nothingStaged,
  resultOf,
  rewriterScene,
  rewritten,
  tooLate,
  untilInTime,
  withTemporal,
  type RewriterScene,
} from './rewriter-scene.ts';
import { runConcurrently } from './run-concurrently.ts';

/*
 * | Crashed or down     | When                                  | Then                                                             |
 * |---------------------|---------------------------------------|------------------------------------------------------------------|
 * | worker              | in the middle of a call               | another worker retries; three calls at most in all                |
 * | every worker        | the whole time                        | UNAVAILABLE, and no provider is called later                      |
 * | API                 | while it waits                        | the call continues; a repetition with its key gets the response   |
 * | caller, without key | while it waits                        | the call is canceled                                              |
 * | caller, with key    | while it waits                        | the call continues, and its response is replayed                  |
 * | Temporal            | at the call                           | UNAVAILABLE within 2 seconds                                      |
 * | Temporal            | while the API waits                   | the response arrives after the outage                             |
 * | provider            | without a response                    | timed out after 30 s, retried once, failed after 60 s             |
 */

/* A scenario that returns false is repeated: see `untilInTime`. */

async function workerKilled(): Promise<boolean> {
  const set = await rewriterScene(inTurn(hanging, saying('By another.')));
  const worker = await set.startWorker();
  const { response } = await asking(set, set.tenant);
  await killed(worker);
  await set.startWorker();
  const ended = await response;
  if (tooLate(ended)) return false;
  expect(resultOf(ended)).toMatchObject(rewritten('By another.', 2));
  expect(set.providers.received).toHaveLength(2);
  await nothingStaged(set);
  return true;
}

async function everyWorkerKilled(): Promise<void> {
  const set = await rewriterScene(hanging);
  let worker = await set.startWorker();
  const response = ask(set.tenant);
  let responded = false;
  void response.finally(() => (responded = true));
  for (const call of [1, 2, 3]) {
    await eventually(() => responded || set.providers.received.length >= call);
    // The call ends by its time limit where starting a worker takes long.
    if (responded) break;
    await killed(worker);
    worker = await set.startWorker();
  }
  expect(resultOf(await response)).toEqual({
    success: false,
    error: 'OpenAI did not answer in time',
    code: 'timeout',
  });
  expect([1, 2, 3]).toContain(set.providers.received.length);
  await nothingStaged(set);
}

async function withoutWorker(): Promise<void> {
  const set = await rewriterScene();
  const began = Date.now();
  const { status, body } = await askOnce(set.tenant);
  expect([status, body.error?.status]).toEqual([503, 'UNAVAILABLE']);
  expect(Date.now() - began).toBeLessThan(160_000);
  await nothingStaged(set);
  await set.startWorker();
  expect(resultOf(await ask(set.tenant))).toMatchObject({ success: true });
  expect(set.providers.received).toHaveLength(1);
}

async function apiKilled(): Promise<void> {
  let release: (() => void) | undefined;
  const set = await rewriterScene((...call) => {
    release = () => void saying('Found again.')(...call);
  });
  const { api, temporal } = set.installation;
  await set.startWorker();
  const first = await startProcess('api', api.database.url, temporal);
  const key = 'restarted';
  const lost = ask(calledThrough(first, set.tenant), key);
  lost.catch(() => undefined);
  await set.called(1);
  await killed(first);
  await expect(lost).rejects.toThrow();
  expect((await ask(set.tenant, key)).status).toBe(409);
  // The duration of the lease.
  await api.database.sql('update idempotency set lease_until = now()');
  const again = ask(set.tenant, key);
  await eventually(async () => {
    const { length } = await api.database.sql('select 1 from idempotency where lease_until > now()');
    return length === 1;
  });
  release?.();
  expect(resultOf(await again)).toMatchObject(rewritten('Found again.', 1));
  expect((await ask(set.tenant, key)).headers['idempotent-replayed']).toBe('true');
  expect(set.providers.received).toHaveLength(1);
  await nothingStaged(set);
}

async function apiKilledBeforeTheResponse(): Promise<boolean> {
  const set = await rewriterScene(inTurn(hanging, saying('Waiting for you.')));
  const { api, temporal } = set.installation;
  const worker = await set.startWorker();
  const first = await startProcess('api', api.database.url, temporal);
  const { response: lost } = await asking(set, calledThrough(first, set.tenant), 'late');
  lost.catch(() => undefined);
  await killed(first, worker);
  await set.startWorker();
  // The workflow ends after 62 s, on a slow machine without a response.
  const staged = await eventually(async () => {
    const [row] = await api.database.sql<{ readonly answered: boolean; readonly over: boolean }>(
      `select answer_enc is not null as answered, asked_at < now() - interval '70 seconds' as over from staged_request`,
    );
    if (row === undefined) return { answered: false };
    return (row.answered || row.over) && row;
  });
  if (!staged.answered) return false;
  await api.database.sql('update idempotency set lease_until = now()');
  const again = await ask(set.tenant, 'late');
  if (tooLate(again)) return false;
  expect(resultOf(again)).toMatchObject(rewritten('Waiting for you.', 2));
  await nothingStaged(set);
  return true;
}

/** A call whose connection the test closes after the provider has received it. False when it ended before. */
async function hungUp(set: RewriterScene, headers: Readonly<Record<string, string>> = {}): Promise<boolean> {
  const calling = new AbortController();
  const response = fetch(`${set.installation.api.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...set.tenant.headers, ...headers },
    body: JSON.stringify({ data: { model: 'gpt-4o', prompt, text } }),
    signal: calling.signal,
  });
  if (!(await calledBeforeEnd(set, response))) return false;
  calling.abort();
  await expect(response).rejects.toThrow();
  return true;
}

async function callerGone(): Promise<boolean> {
  const set = await rewriterScene(hanging);
  await set.startWorker();
  if (!(await hungUp(set))) return false;
  await eventually(() => set.providers.received[0]?.givenUp === true);
  await eventually(() => nothingStaged(set));
  expect(set.providers.received).toHaveLength(1);
  return true;
}

async function callerGoneWithKey(): Promise<boolean> {
  let release: (() => void) | undefined;
  const set = await rewriterScene((...call) => {
    release = () => void saying('For later.')(...call);
  });
  await set.startWorker();
  if (!(await hungUp(set, { 'idempotency-key': 'later' }))) return false;
  release?.();
  const replay = await eventually(async () => {
    const response = await ask(set.tenant, 'later');
    return response.status === 200 && response;
  });
  expect(replay.headers['idempotent-replayed']).toBe('true');
  expect(resultOf(replay)).toMatchObject(rewritten('For later.', 1));
  expect(set.providers.received).toHaveLength(1);
  return true;
}

async function temporalGoneMeanwhile(): Promise<void> {
  let release: (() => void) | undefined;
  const set = await rewriterScene((...call) => {
    release = () => void saying('In the end.')(...call);
  });
  const door = await aClosableProxy(set.installation.temporal['TEMPORAL_ADDRESS'] ?? '');
  closing.push(door.end);
  door.open();
  const api = await startTestApi({
    database: set.installation.api.database,
    environment: { ...set.installation.temporal, TEMPORAL_ADDRESS: door.address },
  });
  await set.startWorker({ TEMPORAL_ADDRESS: door.address });
  closing.push(api.close);
  const response = ask(calledThrough(api, set.tenant));
  await set.called(1);
  door.close();
  release?.();
  await eventually(() => door.refused() > 1);
  door.open();
  expect(resultOf(await response)).toMatchObject(rewritten('In the end.', 1));
}

async function silentProvider(): Promise<boolean> {
  const set = await rewriterScene(hanging);
  await set.startWorker();
  const began = Date.now();
  const response = await askOnce(set.tenant);
  const took = Date.now() - began;
  const { length: calls } = set.providers.received;
  // A heartbeat that came too late costs one of the calls.
  if (response.status === 503 || calls !== 2 || (await lostAttempt(set))) return false;
  expect(resultOf(response)).toEqual({
    success: false,
    error: 'OpenAI did not answer in time',
    code: 'timeout',
  });
  expect(took).toBeGreaterThan(55_000);
  expect(took).toBeLessThan(160_000);
  const [first, second] = set.providers.received;
  expect([first?.givenUp, second?.givenUp]).toEqual([true, true]);
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(29_000);
  await nothingStaged(set);
  return true;
}

async function whatHistoriesHold(): Promise<void> {
  const responses = inTurn(
    refusing(500, 'server_error'),
    saying('A secret answer.'),
    refusing(401, 'invalid_api_key'),
  );
  const set = await rewriterScene(responses);
  await set.startWorker();
  expect(resultOf(await ask(set.tenant, 'secret-key'))).toMatchObject(rewritten('A secret answer.', 2));
  expect(resultOf(await ask(set.tenant))).toMatchObject({ success: false, code: 'refused' });
  const histories = await withTemporal(set, async ({ workflow }) =>
    eventually(async () => {
      const found: string[] = [];
      for await (const { workflowId } of workflow.list({ query: `WorkflowType = 'askAi'` })) {
        found.push(workflowId, historyToJSON(await workflow.getHandle(workflowId).fetchHistory()));
      }
      return found.length === 4 && found;
    }),
  );
  const readable = histories.map((history) => history + inClear(history)).join('\n');
  expect(readable).toContain('"requestId":"ask_');
  expect(readable).toContain('OpenAI request failed: 500 server_error');
  for (const secret of [prompt, text, 'A secret answer.', providerKey, providersOwnWords, 'secret-key']) {
    expect(readable).not.toContain(secret);
  }
}

/** Every payload of a history, decoded from base64. */
const inClear = (history: string): string =>
  [...history.matchAll(/"([A-Za-z0-9+/]{8,}={0,2})"/g)]
    .map(([, payload]) => Buffer.from(payload ?? '', 'base64').toString('utf8'))
    .join('\n');

/** Calls of one key: all of them end within the 58 s of each, two at a time. */
const crowdSize = 12;

async function oneKeyAfterAnother(): Promise<boolean> {
  const release: (() => void)[] = [];
  const set = await rewriterScene((...call) => {
    release.push(() => void saying('In turn.')(...call));
  });
  const { api } = set.installation;
  await set.startWorker({ STEWARD_AI_CALLS_PER_PROVIDER: '2' });
  const other = await withProviderKeys(await aTenant(api), 'sk-of-another');
  let ended = 0;
  const counted = async (tenant: TestTenant): Promise<Response> =>
    ask(tenant).finally(() => {
      ended += 1;
    });
  const crowd = Array.from({ length: crowdSize }, async () => counted(set.tenant));
  // A call that ends before its release was too late.
  const early = (): boolean => ended > 0;
  await waitingInQueue(set, set.tenant, { calls: crowdSize, unless: early });
  const single = counted(other);
  await waitingInQueue(set, other, { calls: 1, unless: early });
  for (let released = 0; released <= crowdSize; released += 1) {
    await eventually(() => release.length > released || ended > released);
    release[released]?.();
  }
  const responses = await Promise.all([...crowd, single]);
  if (responses.some(tooLate)) return false;
  for (const response of responses) expect(resultOf(response)).toMatchObject({ success: true });
  const turn = set.providers.received.findIndex(
    ({ headers }) => headers.authorization === 'Bearer sk-of-another',
  );
  expect(turn).toBeLessThan(8);
  return true;
}

/** Waits until Temporal has that many open calls of a key, unless the scenario is over. */
async function waitingInQueue(
  set: RewriterScene,
  tenant: TestTenant,
  { calls, unless }: { readonly calls: number; readonly unless: () => boolean },
): Promise<void> {
  await withTemporal(set, async ({ workflow }) => {
    await eventually(async () => {
      if (unless()) return true;
      const staged = await set.installation.api.database.sql<{ public_id: string }>(
        'select public_id from staged_request where api_key_id = $1',
        [tenant.id],
      );
      const pending = await Promise.all(
        staged.map(async ({ public_id: id }) => {
          const { raw } = await workflow.getHandle(`rewrite/${id}`).describe();
          return raw.pendingActivities?.length ?? 0;
        }),
      );
      return pending.reduce((sum, each) => sum + each, 0) === calls;
    });
  });
}

const scenarios: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['times out after 30 seconds, is retried once, and fails within 60', silentProvider],
  ['is UNAVAILABLE without a worker, and calls no provider later', withoutWorker],
  ['is made at most three times although every worker is killed', everyWorkerKilled],
  ['is retried when the worker is killed during it', workerKilled],
  ['continues when the API is killed, and replays with its key', apiKilled],
  ['keeps its response for a retry when the API is killed', apiKilledBeforeTheResponse],
  ['is canceled when its caller disconnects', callerGone],
  ['continues without its caller when it has a key, and replays', callerGoneWithKey],
  ['returns after an outage of Temporal', temporalGoneMeanwhile],
  ['leaves no text, prompt, response or key in any history', whatHistoriesHold],
  ['of one key does not wait for all calls of another', oneKeyAfterAnother],
];

/** Max concurrent scenarios: each mostly waits, but starts processes. */
const abreast = 3;

describe('a call to a provider', () => {
  let runs: ReturnType<typeof runConcurrently> = new Map();
  beforeAll(() => {
    runs = runConcurrently(
      scenarios.map(([name, run]) => [name, async () => untilInTime(run)]),
      abreast,
    );
  });
  afterAll(async () => {
    await Promise.allSettled(runs.values());
    await Promise.all(closing.reverse().map((close) => close()));
  });

  it.each(scenarios.map(([name]) => name))('%s', (name) => runs.get(name), 7_200_000);
});

describe('a call during an outage of Temporal', () => {
  it('returns UNAVAILABLE within 2 s, leaves no row, and releases its idempotency key', async () => {
    const api = await startTestApi();
    try {
      const tenant = await withProviderKeys(await aTenant(api), providerKey);
      for (const key of [undefined, 'away', 'away']) {
        const began = Date.now();
        const { status, body, headers } = await askOnce(tenant, key);
        expect(Date.now() - began).toBeLessThan(20_000);
        expect([status, body.error?.status, body.error?.message, headers['retry-after']]).toEqual([
          503,
          'UNAVAILABLE',
          'Service is temporarily unavailable.',
          '1',
        ]);
      }
      expect(await api.database.sql('select 1 from staged_request')).toEqual([]);
    } finally {
      await api.close();
    }
  });
});
