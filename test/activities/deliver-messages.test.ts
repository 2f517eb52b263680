import { afterAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { deliverMessages } from '../../activities/deliver-messages.ts';
import { createLogger } from '../../platform/logging/logger.ts';
import { responding } from '../support/receiver.ts';
import { aListeningTenant, anEndpoint } from '../support/webhooks.ts';
import { aDeliveryScene } from './delivery-scene.ts';

const log: string[] = [];
const { api, turns, receiver, dependencies, close } = await aDeliveryScene({
  logger: createLogger({ level: 'warn', format: 'json', name: 'worker' }, (line) => log.push(line)),
});
afterAll(close);

describe('turns in which every delivery fails', () => {
  it('are logged for each key, once a minute', async () => {
    receiver.behave(responding(500));
    const deliver = deliverMessages(dependencies);
    const expected: object[] = [];
    for (const tenant of [await aListeningTenant(api), await aListeningTenant(api)]) {
      const { keyId } = tenant;
      const endpointId = await anEndpoint(api, tenant, receiver.url);
      for (let turn = 0; turn < 2; turn += 1) {
        await turns.queued(tenant, 1);
        const step = await new MockActivityEnvironment().run(deliver, { keyId, endpointId });
        expect(step).toMatchObject({ attempted: 1, delivered: 0 });
      }
      expected.push({ level: 'warn', msg: 'webhook delivery turn failed', keyId, endpointId, attempted: 1 });
    }
    expect(log.map((line) => JSON.parse(line) as object)).toMatchObject(expected);
  });
});
