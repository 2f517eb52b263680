import type { OutboundRequest, OutboundResponse } from './exchange.ts';
import { openOutbound } from './outbound-connections.ts';

export interface GuardedRequest extends OutboundRequest {
  /** CIDRs that may be reached although they are private. */
  readonly allowedNetworks: readonly string[];
}

/** One request to an address that somebody else chose, over a connection of its own. Throws `OutboundError` and nothing else. */
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
