import { readFile } from 'node:fs/promises';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectProvider } from '../../../platform/senders/provider-request.ts';
import { eventually } from '../../support/eventually.ts';

const request = { secret: 'secret', type: 'application/json', body: '{}' };

/* The certificate is self-signed for 127.0.0.1 and valid until 2125. */
const pem = await readFile(new URL('../../fixtures/loopback.pem', import.meta.url), 'utf8');
const usual = getCACertificates('default');
const [certificate = ''] = /-----BEGIN CERTIFICATE-----[^]*/.exec(pem) ?? [];
beforeAll(() => setDefaultCACertificates([...usual, certificate]));
afterAll(() => setDefaultCACertificates(usual));

const listening = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return `https://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
};
const closed = async (server: Server) => new Promise((resolve) => void server.close(resolve));

describe('a request to a provider', () => {
  it('made no connection when the TLS handshake is cut', async () => {
    const server = createServer((socket) => socket.destroy());
    const provider = connectProvider(await listening(server), 1_000);
    expect(await provider.post('/send', request)).toMatchObject({ held: 'unreachable' });
    await provider.close();
    await closed(server);
  });

  it('made no connection to a server whose certificate is not trusted', async () => {
    const server = createHttpsServer({ key: pem, cert: pem });
    const provider = connectProvider((await listening(server)).replace('127.0.0.1', 'localhost'), 1_000);
    expect(await provider.post('/send', request)).toMatchObject({ held: 'certificate-refused' });
    await provider.close();
    await closed(server);
  });

  it('may have been accepted when TLS fails after it was sent', async () => {
    const clients = new Set<Socket>();
    const server = createHttpsServer({ key: pem, cert: pem }, () => {
      for (const client of clients) client.write('This is not TLS.\n');
    });
    const onward = new URL(await listening(server));
    const between = createServer((client) => {
      clients.add(client);
      const upstream = connect(Number(onward.port), onward.hostname);
      client.pipe(upstream).pipe(client);
      client.on('error', () => upstream.destroy());
      upstream.on('error', () => client.destroy());
    });
    const provider = connectProvider(await listening(between), 1_000);
    expect(await provider.post('/send', request)).toEqual({
      held: undefined,
      code: expect.any(String),
    });
    await provider.close();
    server.closeAllConnections();
    for (const client of clients) client.destroy();
    await Promise.all([closed(between), closed(server)]);
  });

  it('opens its own connection beside those whose TLS handshake hangs', async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    });
    const provider = connectProvider(await listening(server), 1_000);
    const posts = [1, 2, 3].map(async () => provider.post('/send', request));
    const allOpen = eventually(() => expect(sockets.size).toBe(3));
    // Before the first of them times out.
    expect(await Promise.race([allOpen, ...posts])).toBeUndefined();
    for (const socket of sockets) socket.destroy();
    for (const response of await Promise.all(posts)) expect(response).toMatchObject({ held: 'unreachable' });
    await provider.close();
    await closed(server);
  });
});
