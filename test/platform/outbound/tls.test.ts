import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openOutbound, type Outbound } from '../../../platform/outbound/outbound-connections.ts';
import { aNameServer, type TestNameServer } from '../../support/name-server.ts';

/* The certificate is self-signed for receiver.example and valid for 100 years. */
const usual = getCACertificates('default');
let server: Server;
let names: TestNameServer;
let outbound: Outbound;
let trust: () => void;

beforeAll(async () => {
  const pem = await readFile(new URL('../../fixtures/receiver.example.pem', import.meta.url), 'utf8');
  server = createServer({ key: pem, cert: pem }, (request, response) => {
    const { servername, alpnProtocol } = request.socket as TLSSocket;
    response.end(JSON.stringify({ host: request.headers.host, servername, alpnProtocol }));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.2', resolve));
  names = await aNameServer();
  names.behave(({ type }) => (type === 'A' ? ['127.0.0.2'] : []));
  outbound = openOutbound({
    allowedNetworks: ['127.0.0.2/32'],
    httpsOnly: true,
    nameServers: [names.address],
  });
  const [certificate = ''] = /-----BEGIN CERTIFICATE-----[^]*/.exec(pem) ?? [];
  trust = () => setDefaultCACertificates([...usual, certificate]);
});
afterAll(async () => {
  setDefaultCACertificates(usual);
  await outbound.close();
  server.closeAllConnections();
  await new Promise((resolve) => void server.close(resolve));
  await names.close();
});

const send = async (name: string, key: string) =>
  outbound.send(key, {
    owner: 'owner',
    url: `https://${name}:${String((server.address() as AddressInfo).port)}/`,
    headers: {},
    body: '',
    timeoutMs: 50_000,
    maxResponseBytes: 1_000,
  });

describe('an outbound TLS connection', () => {
  it('rejects an untrusted certificate', async () => {
    await expect(send('receiver.example', 'untrusted')).rejects.toMatchObject({
      reason: 'connection-failed',
    });
  });

  it('calls the checked address with the server’s name', async () => {
    trust();
    for (const name of ['receiver.example', 'RECEIVER.example.']) {
      const { body } = await send(name, name);
      expect(JSON.parse(body.toString())).toEqual({
        host: `receiver.example:${String((server.address() as AddressInfo).port)}`,
        servername: 'receiver.example',
        alpnProtocol: 'http/1.1',
      });
    }
  });

  it('rejects a certificate for another name', async () => {
    trust();
    await expect(send('other.example', 'other')).rejects.toMatchObject({ reason: 'connection-failed' });
    await expect(send('127.0.0.2', 'number')).rejects.toMatchObject({ reason: 'connection-failed' });
  });
});
