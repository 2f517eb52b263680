import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from '../../../platform/config/read-configuration.ts';
import { openTemporal } from '../../../platform/temporal/temporal-client.ts';

/** The first bytes that a client sends with these settings. */
async function firstBytes(environment: NodeJS.ProcessEnv): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const address = `127.0.0.1:${String(port)}`;
  const temporal = openTemporal(
    readConfiguration({ ...environment, TEMPORAL_ADDRESS: address }, 'test').temporal as never,
  );
  const connected = once(server, 'connection') as Promise<[Socket]>;
  const available = temporal.available(60_000);
  const [socket] = await connected;
  socket.on('error', () => undefined);
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  server.close();
  await available;
  await temporal.close();
  return bytes;
}

describe('a connection to Temporal', () => {
  it.each([
    ['TLS with an API key', { TEMPORAL_API_KEY: 'key' }, '\u0016\u0003'],
    ['no TLS with an API key and TEMPORAL_TLS=off', { TEMPORAL_API_KEY: 'key', TEMPORAL_TLS: 'off' }, 'PRI '],
    ['no TLS by default', {}, 'PRI '],
  ])('uses %s', async (_, environment, expected) => {
    expect((await firstBytes(environment)).toString('latin1').slice(0, expected.length)).toBe(expected);
  });
});
