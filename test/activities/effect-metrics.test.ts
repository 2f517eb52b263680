import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { Registry } from 'prom-client';
import { askProvider } from '../../activities/ask-provider.ts';
import { deliverMessages } from '../../activities/deliver-messages.ts';
import { EffectMetrics } from '../../activities/effect-metrics.ts';
import { stageRequest } from '../../domain/rewriter/staged-requests.ts';
import { aTenant } from '../support/factories.ts';
import { seriesOf } from '../support/metrics.ts';
import { responding } from '../support/receiver.ts';
import { aListeningTenant, anEndpoint } from '../support/webhooks.ts';
import { aDeliveryScene } from './delivery-scene.ts';

const registry = new Registry();
const { api, turns, receiver, dependencies, close } = await aDeliveryScene({
  metrics: new EffectMetrics(registry),
});
afterAll(close);

/** The values of a counter by outcome. */
async function outcomes(name: string): Promise<Record<string, number>> {
  const series = seriesOf(await registry.metrics());
  const prefix = `${name}{outcome="`;
  const found = [...series].filter(([one]) => one.startsWith(prefix));
  return Object.fromEntries(found.map(([one, value]) => [one.slice(prefix.length, -2), value]));
}

describe('the metrics of a worker’s calls', () => {
  it('count attempts of deliveries by outcome', async () => {
    const tenant = await aListeningTenant(api);
    const endpointId = await anEndpoint(api, tenant, receiver.url);
    const deliver = async (): Promise<void> => {
      await turns.queued(tenant, 1);
      await new MockActivityEnvironment().run(deliverMessages(dependencies), {
        keyId: tenant.keyId,
        endpointId,
      });
    };
    await deliver();
    receiver.behave(responding(500));
    await deliver();
    receiver.behave((_, response) => response.destroy());
    await deliver();
    expect(await outcomes('steward_webhook_attempts_total')).toEqual({
      delivered: 1,
      rejected: 1,
      no_response: 1,
    });
  });

  it('count notices that end without a delivery by channel and outcome', async () => {
    const ended = [{ status: 'skipped' }, { status: 'failed' }, { status: 'skipped' }] as const;
    dependencies.metrics.endedNotices('slack', ended);
    const series = seriesOf(await registry.metrics());
    const counted = ['sent', 'skipped', 'failed', 'again'].map((outcome) =>
      series.get(`steward_deliveries_total{kind="slack",outcome="${outcome}"}`),
    );
    expect(counted).toEqual([0, 2, 1, 0]);
  });

  it('count calls to AI providers by outcome, and separately those of a key without a provider’s key', async () => {
    const tenant = await aTenant(api);
    const providerBaseUrls = { openai: receiver.url, anthropic: undefined, gemini: undefined };
    receiver.behave(responding(401));
    const call = async (): Promise<void> => {
      const hash = randomBytes(32);
      const { requestId } = await stageRequest(
        api.orm.em.fork(),
        api.keyRing,
        tenant.id,
        { provider: 'openai', model: 'o1', oneMessage: true, prompt: 'p', text: 't' },
        { scope: { kind: 'apiKey', ownerId: tenant.id }, keyHash: hash, requestHash: hash },
      );
      await new MockActivityEnvironment().run(askProvider({ ...dependencies, providerBaseUrls }), {
        requestId,
      });
    };
    await call();
    await tenant.ok('/v2/workspace/apikeyconfig/update', {
      aiModelApiKey: [{ provider: 'openai', customerApiKey: 'sk-refused' }],
    });
    await call();
    expect(await outcomes('steward_ai_calls_total')).toEqual({
      succeeded: 0,
      failed: 1,
      retried: 0,
      no_key: 1,
    });
  });
});
