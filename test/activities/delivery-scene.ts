import type { Dependencies } from '../../activities/dependencies.ts';
import { turnsOf } from '../domain/webhooks/turns.ts';
import { startTestApi } from '../support/api.ts';
import { activityDependencies } from '../support/dependencies.ts';
import { aReceiver } from '../support/receiver.ts';

/** An API, a receiver of webhooks, and the dependencies of a worker that delivers to it. Call `close` at the end. */
export async function aDeliveryScene(others: Partial<Dependencies>) {
  const api = await startTestApi();
  const turns = turnsOf(api);
  const receiver = await aReceiver();
  // On a slow machine, a retry after seconds would be another attempt.
  const dependencies = activityDependencies(api, api.orm, {
    webhookRetryDelaysMs: [0, 3_600_000],
    ...others,
  });
  const close = async (): Promise<void> => {
    await receiver.close();
    await turns.close();
    await dependencies.outbound.close();
    await api.close();
  };
  return { api, turns, receiver, dependencies, close };
}
