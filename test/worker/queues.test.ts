import { describe, expect, it } from '@jest/globals';
import type { Activities } from '../../activities/index.ts';
import { readConfiguration } from '../../platform/config/read-configuration.ts';
import { activityQueues } from '../../worker/queues.ts';
import {
  databaseQueue,
  deletionQueue,
  deliveryQueue,
  dispatchQueue,
  provisioningQueue,
} from '../../workflows/contract.ts';
import { newEncryptionKey } from '../../platform/config/generate-environment.ts';

function slotsOf(environment: NodeJS.ProcessEnv): Readonly<Record<string, number>> {
  const configuration = readConfiguration(
    {
      DATABASE_URL: 'postgres://localhost/steward',
      STEWARD_ENCRYPTION_KEYS: newEncryptionKey(),
      ...environment,
    },
    'worker',
  );
  const queues = activityQueues({} as Activities, configuration);
  return Object.fromEntries(queues.map(({ taskQueue, slots }) => [taskQueue, slots]));
}

describe('the task queues of a worker', () => {
  it('have the configured numbers of slots', () => {
    const slots = slotsOf({
      DATABASE_POOL_SIZE: '7',
      STEWARD_DELETION_SLOTS: '1',
      STEWARD_DISPATCH_SLOTS: '3',
      STEWARD_DELIVERY_SLOTS: '5',
      STEWARD_PROVISIONING_SLOTS: '6',
    });
    expect(slots).toMatchObject({
      [databaseQueue]: 7,
      [deletionQueue]: 1,
      [dispatchQueue]: 3,
      [deliveryQueue]: 5,
      [provisioningQueue]: 6,
    });
  });
});
