import type { OutboundRequest, OutboundResponse } from './exchange.ts';
import type { OutboundPolicy } from './guarded-agent.ts';
import { openOutbound } from './outbound-connections.ts';

export interface GuardedRequest extends OutboundRequest, Pick<OutboundPolicy, 'allowedNetworks' | 'paused'> {}

/** Sends one request to a customer's URL over its own connection. Throws only `OutboundError`. */
export async function guardedRequest({
  allowedNetworks,
  paused = false,
  ...request
}: GuardedRequest): Promise<OutboundResponse> {
  const outbound = openOutbound({ allowedNetworks, paused });
  try {
    return await outbound.send('', request);
  } finally {
    await outbound.close();
  }
}
