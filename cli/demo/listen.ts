import { proven } from './proven.ts';
import type { Stage } from './stage.ts';
import { startReceiver, type Receiver } from './webhook-receiver.ts';

/** A webhook endpoint of the key, and the server that it leads to. */
export interface Listener extends Pick<Receiver, 'events' | 'repeated' | 'refused' | 'until'> {
  readonly endpointId: string;
  /** Takes the endpoint away again, and ends the server. */
  stop(): Promise<void>;
}

/** What the receiver wants to hear of; everything else is not sent to it. */
export const wanted = ['paragraph.edit', 'document.migrated', 'user.data_deleted'] as const;

/** Starts a server and registers it, as a customer would; the first message proves that it is reached and that signatures fit. */
export async function listen({ steward, narrator, run }: Stage): Promise<Listener> {
  narrator.act('A server of yours listens');
  const receiver = await startReceiver();
  let endpointId: string | undefined;
  const stop = async (): Promise<void> => {
    if (endpointId !== undefined)
      await steward.call('/v2/workspace/advancedwebhook/endpoints/delete', { endpointId });
    await receiver.stop();
  };
  try {
    await steward.call('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    const { data: endpoint } = await narrator.timed(
      () =>
        steward.call('/v2/workspace/advancedwebhook/endpoints/create', {
          url: receiver.url,
          description: `Demo ${run}`,
          filterTypes: [...wanted],
        }),
      () => `An endpoint leads to ${receiver.url}`,
    );
    endpointId = endpoint.id;
    const secret = await steward.call('/v2/workspace/advancedwebhook/endpoints/secret/get', { endpointId });
    receiver.trust(secret.data.secret);
    await sayHello({ steward, narrator }, endpoint.id);
    return { ...receiver, endpointId: endpoint.id, stop };
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
}

async function sayHello(
  { steward, narrator }: Pick<Stage, 'steward' | 'narrator'>,
  endpointId: string,
): Promise<void> {
  const { data } = await narrator.timed(
    () => steward.call('/v2/workspace/advancedwebhook/endpoints/test', { endpointId }),
    ({ data: { attempt } }) =>
      `A test message was answered ${String(attempt.responseStatusCode ?? attempt.error)}: its signature fits`,
  );
  const { responseStatusCode: status, error } = data.attempt;
  proven(
    status === 204,
    `The receiver is not reached (${String(error ?? status)}). Its address is a loopback one: STEWARD_OUTBOUND_ALLOWED_NETWORKS must hold 127.0.0.0/8.`,
  );
}
