import { afterAll } from '@jest/globals';
import { startTestApi, type TestApiOptions } from '../../support/api.ts';
import { aReceiver, type Receiver } from '../../support/receiver.ts';
import { aListeningTenant, anEndpoint } from '../../support/webhooks.ts';
import { turnsOf } from './turns.ts';

/** A stored message that its first attempt delivered. */
export const done = { status: 1, status_reason: null, attempts: 1, step: 1, resends: 0, due_in: null };

/** An API without a worker for the tests of one file, its delivery turns, and receivers of webhooks. */
export async function deliveryScene(options: TestApiOptions = {}) {
  const api = await startTestApi(options);
  const { close, ...turns } = turnsOf(api);
  const receivers: Receiver[] = [];
  afterAll(async () => {
    await Promise.all(receivers.map(async (receiver) => receiver.close()));
    await close();
    await api.close();
  });

  const receiving = async (): Promise<Receiver> => {
    const receiver = await aReceiver();
    receivers.push(receiver);
    return receiver;
  };
  /** A tenant with one endpoint, and its receiver. */
  const listening = async (members: Parameters<typeof anEndpoint>[3] = {}, configuration: object = {}) => {
    const tenant = await aListeningTenant(api, configuration);
    const receiver = await receiving();
    const endpoint = await anEndpoint(api, tenant, receiver.url, members);
    return { tenant, receiver, endpoint };
  };
  return { ...turns, api, database: api.database, receiving, listening };
}
