import { createClient } from '../../packages/client/source/steward.ts';
import { proven } from './proven.ts';
import type { Stage } from './stage.ts';
import { startReceiver, type Receiver } from './webhook-receiver.ts';

/** A webhook endpoint of the key, and its server. */
export interface Listener extends Pick<Receiver, 'events' | 'repeated' | 'refused' | 'until'> {
  readonly endpointId: string;
  /** Deletes the endpoint and stops the server. */
  stop(): Promise<void>;
}

/** The event types of the endpoint. */
const wanted = ['paragraph.edit', 'document.migrated', 'user.data_deleted'] as const;

/** Max time of the endpoint's deletion: a canceled demo ends also when Steward does not respond. */
const deletionMs = 5_000;

/** Starts a server and registers it like a customer; a test message proves that it is reachable and signatures verify. */
export async function listen({ installation, steward, narrator, run, signal }: Stage): Promise<Listener> {
  narrator.act('Your server receives webhooks');
  const receiver = await startReceiver(signal);
  let endpointId: string | undefined;
  const stop = async (): Promise<void> => {
    try {
      if (endpointId !== undefined) await deleteEndpoint(installation, endpointId);
    } finally {
      await receiver.stop();
    }
  };
  try {
    await steward.workspace.advancedWebhookConfig.update({ isEnabled: true });
    const { data: endpoint } = await narrator.timed(
      () =>
        steward.workspace.advancedWebhook.endpoints.create({
          url: receiver.url,
          description: `Demo ${run}`,
          filterTypes: [...wanted],
        }),
      () => `Created an endpoint for ${receiver.url}`,
    );
    endpointId = endpoint.id;
    const secret = await steward.workspace.advancedWebhook.endpoints.secret.get({ endpointId });
    receiver.trust(secret.data.secret);
    await sendTestMessage({ steward, narrator }, endpoint.id);
    return { ...receiver, endpointId: endpoint.id, stop };
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
}

/** Its client has no stop signal: a canceled demo leaves no endpoint either. */
async function deleteEndpoint(installation: Stage['installation'], endpointId: string): Promise<void> {
  const { baseUrl, apiKey, authToken } = installation;
  const { workspace } = createClient({ baseUrl, apiKey, authToken, timeoutMs: deletionMs });
  await workspace.advancedWebhook.endpoints.delete({ endpointId });
}

async function sendTestMessage(
  { steward, narrator }: Pick<Stage, 'steward' | 'narrator'>,
  endpointId: string,
): Promise<void> {
  const { data } = await narrator.timed(
    () => steward.workspace.advancedWebhook.endpoints.test({ endpointId }),
    ({ data: { attempt } }) =>
      `The server returned ${String(attempt.responseStatusCode ?? attempt.error)} to a test message: its signature is valid`,
  );
  const { responseStatusCode: status, error } = data.attempt;
  proven(
    status === 204,
    `The receiver is not reachable (${String(error ?? status)}). Its address is a loopback address: STEWARD_OUTBOUND_ALLOWED_NETWORKS must contain 127.0.0.0/8.`,
  );
}
