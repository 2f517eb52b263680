import { openSharedConnections, type ConnectionOptions } from '../server/open-shared-connections.ts';
import { openSending } from './open-sending.ts';

/** Milliseconds. A statement may wait for locks of API transactions, whose own limit is 10 s. */
const statementTimeoutMs = 60_000;

/** Opens the connections of a worker. No server needs to be available: each is connected to at its first use. */
export async function openConnections(options: ConnectionOptions) {
  const shared = await openSharedConnections(options, { statementTimeoutMs, plansOnce: false });
  const sending = openSending(options.configuration, options.logger);
  await options.closing.add(async () => sending.senders.close());
  return { ...shared, sending };
}
