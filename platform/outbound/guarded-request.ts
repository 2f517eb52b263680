import type { OutboundRequest, OutboundResponse } from './exchange.ts';
import { openOutbound } from './outbound-connections.ts';

export interface GuardedRequest extends OutboundRequest {
  /** CIDRs that are allowed although they are private. */
  readonly allowedNetworks: readonly string[];
}

/** Sends one request to a customer's URL over its own connection. Throws only `OutboundError`. */
export async function guardedRequest({
  allowedNetworks,
  ...request
}: GuardedRequest): Promise<OutboundResponse> {
  const outbound = openOutbound({ allowedNetworks });
  try {
    return await outbound.send('', request);
  } finally {
    await outbound.close();
  }
}
