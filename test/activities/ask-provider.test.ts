import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { askProvider } from '../../activities/ask-provider.ts';
import { entities } from '../../domain/entities.ts';
import { stageRequest, takeStagedResponse, type StagedRef } from '../../domain/rewriter/staged-requests.ts';
import { openDatabase } from '../../platform/database/open-database.ts';
import { aiProviders, saying, withProviderKeys } from '../support/ai-providers.ts';
import { startTestApi } from '../support/api.ts';
import { activityDependencies } from '../support/dependencies.ts';
import { eventually, repeatUntil } from '../support/eventually.ts';
import { aTenant } from '../support/factories.ts';
import { statementNames } from '../support/pooler.ts';
import { aClosableProxy } from '../workflows/closable-proxy.ts';

const api = await startTestApi();
const tenant = await withProviderKeys(await aTenant(api));
const providers = await aiProviders();
const url = new URL(api.database.url);
const proxy = await aClosableProxy(url.host);
url.host = proxy.address;
/** The worker's database, which the tests can take away. */
const database = openDatabase({
  url: url.href,
  poolSize: 2,
  statementTimeoutMs: 60_000,
  plansOnce: false,
  statementNames,
  entities,
});
const dependencies = activityDependencies(api, database.orm, {
  providerBaseUrls: {
    openai: providers.environment['OPENAI_BASE_URL'],
    anthropic: undefined,
    gemini: undefined,
  },
});
afterAll(async () => {
  await dependencies.outbound.close();
  await database.close();
  await proxy.end();
  await providers.close();
  await api.close();
});

beforeEach(() => {
  proxy.open();
  providers.behave((call, response, number) => {
    proxy.close();
    return saying('Rewritten.')(call, response, number);
  });
});

async function staged(): Promise<StagedRef> {
  const request = { provider: 'openai', model: 'gpt-4o', oneMessage: false, prompt: 'p', text: 't' } as const;
  const { requestId } = await stageRequest(api.orm.em.fork(), api.keyRing, tenant.id, request, undefined);
  return { requestId, apiKeyId: tenant.id };
}

const storedResponse = async (ref: StagedRef) => takeStagedResponse(api.orm.em.fork(), api.keyRing, ref);

/** Calls the provider like a worker. */
function asking({ requestId }: StagedRef) {
  const environment = new MockActivityEnvironment();
  return { environment, ended: environment.run(askProvider(dependencies), { requestId }) };
}

describe('a response that arrives while the database is away', () => {
  it('is stored once the database is back, with heartbeats until then and without another call', async () => {
    const ref = await staged();
    const before = proxy.refused();
    const { environment, ended } = asking(ref);
    const { promise: beaten, resolve } = Promise.withResolvers<void>();
    environment.on('heartbeat', () => proxy.refused() > before && resolve());
    await Promise.race([beaten, ended]);
    proxy.open();
    await ended;
    expect(providers.received).toHaveLength(1);
    expect(await storedResponse(ref)).toMatchObject({ success: true, text: 'Rewritten.', attempts: 1 });
  });

  it('is dropped at once when the activity is canceled', async () => {
    const ref = await staged();
    const before = proxy.refused();
    const { environment, ended } = asking(ref);
    let failed = false;
    const failing = ended.catch(() => {
      failed = true;
    });
    await eventually(() => failed || proxy.refused() > before);
    environment.cancel();
    await failing;
    expect(failed).toBe(true);
    const inTime = `select 1 from staged_request where public_id = $1 and asked_at > now() - interval '50 seconds'`;
    expect(await api.database.sql(inTime, [ref.requestId])).toHaveLength(1);
    expect(await storedResponse(ref)).toBeUndefined();
  });

  it('is dropped when the time of the request is over', async () => {
    await repeatUntil(async () => {
      proxy.open();
      const ref = await staged();
      await api.database.sql(
        `update staged_request set asked_at = asked_at - interval '55 seconds' where public_id = $1`,
        [ref.requestId],
      );
      const failed = await asking(ref).ended.then(
        () => false,
        () => true,
      );
      // On a slow machine, the time may be over before the call.
      if (providers.received.length === 0) return false;
      expect(failed).toBe(true);
      expect(await storedResponse(ref)).toBeUndefined();
      return true;
    });
  });
});
