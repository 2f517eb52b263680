import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openOutbound, type Outbound } from '../../../platform/outbound/outbound-connections.ts';
import { eventually } from '../../support/eventually.ts';
import { aReceiver, type Receiver } from './receiver.ts';

let receiver: Receiver;
let outbound: Outbound;
let hanging: (() => void)[];
beforeAll(async () => {
  receiver = await aReceiver('127.0.0.1');
});
beforeEach(async () => {
  await outbound?.close();
  outbound = openOutbound({ allowedNetworks: ['127.0.0.0/8'] });
  hanging = [];
  receiver.response((request, response) => {
    request.resume();
    if (request.url === '/hangs') hanging.push(() => response.end());
    else response.end('ok');
  });
});
afterAll(async () => {
  await outbound.close();
  await receiver.close();
});

const send = async (key: string, path = '/', timeoutMs = 50_000, maxResponseBytes = 100) =>
  outbound.send(key, {
    owner: 'owner',
    url: `http://127.0.0.1:${receiver.port}${path}`,
    headers: {},
    body: '{}',
    timeoutMs,
    maxResponseBytes,
  });

/** A connection becomes reusable only after further turns of the event loop. */
async function freed(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
}

describe('outbound connections', () => {
  it('are reused by the same key only', async () => {
    let attempt = 0;
    // A key of its own for each attempt: on a slow machine, the connection may end between two requests.
    await eventually(async () => {
      attempt += 1;
      const key = `one ${String(attempt)}`;
      const [requests, connections] = [receiver.requests, receiver.connections];
      for (let number = 0; number < 10; number += 1) {
        await send(key);
        await freed();
      }
      expect([receiver.requests - requests, receiver.connections - connections]).toEqual([10, 1]);
    });
    const before = receiver.connections;
    await send('other');
    expect(receiver.connections).toBe(before + 1);
  });

  it('are separate for concurrent requests, so that none waits for a hanging one', async () => {
    const stuck = [send('one', '/hangs'), send('one', '/hangs')];
    await Promise.all(Array.from({ length: 8 }, () => send('one')));
    await eventually(() => hanging.length === 2);
    expect(receiver.requests).toBe(10);
    for (const release of hanging) release();
    expect((await Promise.all(stuck)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('that are always in use are replaced at their max age, and close after their running requests', async () => {
    await outbound.close();
    outbound = openOutbound({ allowedNetworks: ['127.0.0.0/8'] }, 50);
    const stuck = send('one', '/hangs');
    await eventually(() => hanging.length === 1);
    const before = receiver.connections;
    await eventually(async () => {
      await send('one');
      return receiver.connections > before + 1;
    });
    for (const release of hanging) release();
    expect((await stuck).status).toBe(200);
  });

  it('that were replaced close with all others', async () => {
    await outbound.close();
    outbound = openOutbound({ allowedNetworks: ['127.0.0.0/8'] }, 0);
    const stuck = send('one', '/hangs');
    await eventually(() => hanging.length === 1);
    await send('one');
    const ended = expect(stuck).rejects.toMatchObject({ reason: 'connection-failed' });
    await outbound.close();
    await ended;
  });

  it('carry any number of responses of 1 MiB', async () => {
    const large = 'x'.repeat(1_048_576);
    receiver.response((request, response) => {
      request.resume();
      response.end(large);
    });
    let attempt = 0;
    // As above, the connection may end between two requests.
    await eventually(async () => {
      attempt += 1;
      const before = receiver.connections;
      for (let number = 0; number < 8; number += 1) {
        const { body } = await send(`large ${String(attempt)}`, '/', 50_000, large.length);
        expect(body.length).toBe(large.length);
        await freed();
      }
      expect(receiver.connections).toBe(before + 1);
    });
  });

  it('that the server has closed are replaced', async () => {
    receiver.response((request, response) => {
      response.setHeader('connection', 'close');
      response.end('ok');
      request.resume();
    });
    for (let number = 0; number < 3; number += 1) expect((await send('one')).status).toBe(200);
    expect(receiver.connections).toBe(3);
  });

  it('of a timed-out request are not reused', async () => {
    const hung: unknown[] = [];
    const answered: unknown[] = [];
    receiver.response((request, response) => {
      request.resume();
      if (request.url === '/hangs') hung.push(request.socket);
      else {
        answered.push(request.socket);
        response.end('ok');
      }
    });
    // On a slow machine, a short limit ends a request before it arrives.
    for (let limitMs = 100; hung.length === 0 && limitMs < 100_000; limitMs *= 4)
      await expect(send('one', '/hangs', limitMs)).rejects.toMatchObject({ reason: 'timed-out' });
    expect(hung.length).toBeGreaterThan(0);
    await freed();
    expect((await send('one')).status).toBe(200);
    expect(answered.map((socket) => hung.includes(socket))).toEqual([false]);
  });

  it('end their running requests when all are closed', async () => {
    const stuck = send('one', '/hangs');
    const failed = expect(stuck).rejects.toMatchObject({ reason: 'connection-failed' });
    await send('one');
    await outbound.close();
    await failed;
  });
});
