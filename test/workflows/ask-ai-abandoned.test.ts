import { afterAll, describe, expect, it } from '@jest/globals';
import { path, prompt, providerKey, text } from '../api/rewriter/rewriter-scene.ts';
import { refusing, saying, withProviderKeys, type Behavior } from '../support/ai-providers.ts';
import { startTestApi } from '../support/api.ts';
import type { Response } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { anOperator, aTenant, type TestTenant } from '../support/factories.ts';
import type { TestProcess } from '../support/processes.ts';
import { aClosableProxy } from './closable-proxy.ts';
import { askOnce, calledBeforeEnd, closing, rewriterScene, type RewriterScene } from './rewriter-scene.ts';

afterAll(async () => Promise.all(closing.reverse().map((close) => close())));

const scene = await rewriterScene();
const { providers } = scene;
const { api, temporal } = scene.installation;

/** The scene with a tenant of its own. */
async function aScene(behavior: Behavior = saying('Rewritten.')): Promise<RewriterScene> {
  providers.behave(behavior);
  const tenant = await withProviderKeys(await aTenant(api), providerKey);
  return { ...scene, tenant };
}

let worker: Promise<TestProcess> | undefined;
/** Starts the worker of all tests. The first one begins without it. */
const aWorker = async (): Promise<TestProcess> => (worker ??= scene.startWorker());

const rowsIn = async (table: 'limited_call' | 'staged_request', { tenant }: RewriterScene) =>
  api.database.sql(`select from ${table} where api_key_id = $1`, [tenant.id]);

describe('a call whose key is disabled', () => {
  const refusal = ({ status, body }: Response) => [status, body.error?.status, body.error?.message];
  const disabled = [403, 'PERMISSION_DENIED', 'API key is disabled.'];
  const disable = async ({ tenant }: RewriterScene): Promise<void> => {
    await anOperator(api).ok('/v2/operator/keys/disable', { keyId: tenant.keyId });
  };

  it('is PERMISSION_DENIED when it waited for a worker, and calls no provider', async () => {
    const set = await aScene();
    const response = askOnce(set.tenant);
    await eventually(async () => (await rowsIn('staged_request', set)).length === 1);
    await disable(set);
    await aWorker();
    expect(refusal(await response)).toEqual(disabled);
    expect([providers.received, await rowsIn('staged_request', set)]).toEqual([[], []]);
  });

  it('is PERMISSION_DENIED when it waited for its second attempt', async () => {
    const set = await aScene(async (...call) => {
      await disable(set);
      await refusing(500, 'server_error')(...call);
    });
    await aWorker();
    expect(refusal(await askOnce(set.tenant))).toEqual(disabled);
    expect([providers.received.length, await rowsIn('staged_request', set)]).toEqual([1, []]);
  });
});

/** Calls through the API at `url`. */
const askThrough = async (url: string, { tenant }: RewriterScene, signal?: AbortSignal) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...tenant.headers },
    body: JSON.stringify({ data: { model: 'gpt-4o', prompt, text } }),
    signal: signal ?? null,
  });

/** Calls through the API at `url`, and hangs up when the provider has received the call. */
async function hungUp(set: RewriterScene, url: string): Promise<void> {
  const calling = new AbortController();
  const response = askThrough(url, set, calling.signal);
  expect(await calledBeforeEnd(set, response)).toBe(true);
  calling.abort();
  await expect(response).rejects.toThrow();
}

/** A scene whose key may make one call at a time, and whose provider never responds to the first. */
async function oneAtATime() {
  let endedBefore: boolean | undefined;
  const set = await aScene((call, response, number) => {
    if (number === 1) return;
    endedBefore ??= providers.received[0]?.givenUp;
    void saying('Done.')(call, response, number);
  });
  await anOperator(api).ok('/v2/operator/limits/update', { keyId: set.tenant.keyId, aiConcurrency: 1 });
  return { ...set, endedBefore: () => endedBefore };
}

/** An API that reaches Temporal through an open door, and does not learn of responses from PostgreSQL. */
async function behindDoor() {
  const door = await aClosableProxy(temporal['TEMPORAL_ADDRESS'] ?? '');
  closing.push(door.end);
  door.open();
  const environment = { ...temporal, TEMPORAL_ADDRESS: door.address, DATABASE_DIRECT_URL: '' };
  const away = await startTestApi({ database: api.database, environment });
  closing.push(away.close);
  return { door, away };
}

const rewritten = async (tenant: TestTenant): Promise<boolean> => (await askOnce(tenant)).status === 200;

describe('a call whose caller has disconnected', () => {
  it('counts for the limit of its key until its provider call has ended', async () => {
    const set = await oneAtATime();
    await aWorker();
    await hungUp(set, api.url);
    await eventually(async () => rewritten(set.tenant));
    expect([set.endedBefore(), providers.received.length]).toEqual([true, 2]);
  });

  it('counts even while Temporal is unreachable, and is canceled later', async () => {
    const set = await oneAtATime();
    const { door, away } = await behindDoor();
    await aWorker();
    const calling = hungUp(set, away.url);
    await set.called(1);
    door.close();
    await calling;
    await eventually(() => door.refused() > 0);
    expect(await rowsIn('limited_call', set)).toHaveLength(1);
    door.open();
    await eventually(async () => rewritten(set.tenant));
    expect([set.endedBefore(), providers.received.length]).toEqual([true, 2]);
  });
});

describe('a call whose API has lost Temporal', () => {
  it('returns the response that the provider was paid for', async () => {
    const lost = Promise.withResolvers<undefined>();
    const set = await aScene(async (...call) => {
      await lost.promise;
      await saying('Rewritten.')(...call);
    });
    const { door, away } = await behindDoor();
    await aWorker();
    const response = askThrough(away.url, set);
    expect(await calledBeforeEnd(set, response)).toBe(true);
    door.close();
    lost.resolve(undefined);
    expect((await response).status).toBe(200);
    expect(providers.received).toHaveLength(1);
  });
});
