import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openOutbound, type Outbound } from '../../../platform/outbound/outbound-connections.ts';
import { OutboundError } from '../../../platform/outbound/outbound-error.ts';
import { eventually } from '../../support/eventually.ts';
import { aNameServer, type TestNameServer } from '../../support/name-server.ts';
import { stall } from '../../support/stall.ts';
import { aReceiver, type Receiver } from './receiver.ts';

/* Two addresses of this machine with one port: one that may be called, and one that may not. */
const open = '127.0.0.2';
let everywhere: Receiver;
let names: TestNameServer;
let outbound: Outbound;
let reached: (string | undefined)[] = [];

beforeAll(async () => {
  everywhere = await aReceiver('0.0.0.0');
  everywhere.response((request, response) => {
    reached.push(request.socket.localAddress);
    response.end('ok');
  });
  names = await aNameServer();
  outbound = openOutbound({ allowedNetworks: [`${open}/32`], nameServers: [names.address] });
});
afterAll(async () => {
  await outbound.close();
  await everywhere.close();
  await names.close();
});

const queries = (name: string, type: 'A' | 'AAAA'): number =>
  names.questions.filter((question) => question.name === name && question.type === type).length;

/** Returns `ok`, or the reason of the failure. A new key uses a new connection. */
async function call(name: string, key: string, timeoutMs = 50_000, from = outbound): Promise<string> {
  const url = `http://${name}:${everywhere.port}/`;
  const request = {
    url,
    owner: 'owner',
    headers: {},
    body: '',
    timeoutMs,
    maxResponseBytes: 100,
  } as const;
  return from.send(key, request).then(
    ({ body }) => body.toString(),
    (error: unknown) => (error instanceof OutboundError ? error.reason : String(error)),
  );
}

/** A connection becomes reusable only after further turns of the event loop. */
async function freed(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
}

describe('a host name', () => {
  it('with an allowed address is called at this address', async () => {
    reached = [];
    names.behave(({ type }) => (type === 'A' ? [open] : []));
    expect(await call('plain.example', 'plain')).toBe('ok');
    expect(reached).toEqual([open]);
  });

  it.each([
    ['this machine', ['127.0.0.1'], []],
    ['this machine in IPv6', [], ['::1']],
    ['this machine mapped', [], ['::ffff:7f00:1']],
    ['metadata', ['169.254.169.254'], []],
    ['metadata translated', [], ['64:ff9b::a9fe:a9fe']],
    ['one that may be called, and one that may not', [open, '127.0.0.1'], []],
    ['one that may be called, and one of IPv6 that may not', [open], ['fd00::1']],
    ['no host', ['0.0.0.0'], []],
  ])('that resolves to %s is not called', async (what, four, six) => {
    reached = [];
    names.behave(({ type }) => (type === 'A' ? four : six));
    expect(await call('led.example', what)).toBe('address-refused');
    expect(reached).toEqual([]);
  });

  it('that changes after the check is called at the checked address', async () => {
    reached = [];
    // The first address may be called. Each later one is this machine's own.
    names.behave(({ name, type }) => (type === 'A' ? [queries(name, 'A') === 1 ? open : '127.0.0.1'] : []));
    let attempt = 0;
    // A new name for each attempt: a slow machine may repeat a query, or end the connection between two calls.
    await eventually(async () => {
      attempt += 1;
      const name = `rebound-${String(attempt)}.example`;
      expect(await call(name, `${name}, first`)).toBe('ok');
      expect([queries(name, 'A'), queries(name, 'AAAA')]).toEqual([1, 1]);
      await freed();
      // A reused connection needs no lookup of the name. A new connection resolves the name, and is refused.
      expect(await call(name, `${name}, first`)).toBe('ok');
      expect(queries(name, 'A')).toBe(1);
      expect(await call(name, `${name}, second`)).toBe('address-refused');
      expect(queries(name, 'A')).toBe(2);
    });
    // Of all attempts.
    expect(new Set(reached)).toEqual(new Set([open]));
  });

  it('that changes at every resolution is only called at checked addresses', async () => {
    reached = [];
    names.behave(({ name, type }) =>
      type === 'A' ? [queries(name, 'A') % 2 === 0 ? open : '127.0.0.1'] : [],
    );
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, number) => call('turning.example', `turn ${String(number)}`)),
    );
    // Half of them each, unless a slow machine repeats queries.
    expect(new Set(outcomes)).toEqual(new Set(['address-refused', 'ok']));
    expect(reached).toEqual(outcomes.filter((outcome) => outcome === 'ok').map(() => open));
  });

  it('of IPv4 and IPv6 is called although this process stalls while it connects', async () => {
    names.behave(({ type }) => (type === 'A' ? [open] : ['::1']));
    const both = openOutbound({
      allowedNetworks: [`${open}/32`, '::1/128'],
      nameServers: [names.address],
    });
    // By default, Node closes the connection to the first address after 250 ms, and nothing listens at the last one.
    const stalls = setInterval(() => stall(400), 1);
    const outcome = await call('both.example', 'both', 50_000, both);
    clearInterval(stalls);
    await both.close();
    expect(outcome).toBe('ok');
  });

  it('that does not exist, or whose name server does not respond, fails in time without delaying other names', async () => {
    names.behave(({ name, type }) => {
      if (name === 'silent.example') return undefined;
      return name === 'plain.example' && type === 'A' ? [open] : [];
    });
    let attempt = 0;
    // A slow machine may pause for the time of the silent calls before the others end.
    await eventually(async () => {
      attempt += 1;
      let over = 0;
      const silent = Array.from({ length: 20 }, async (_, number) => {
        const outcome = await call('silent.example', `silent ${String(number)}`, 4_000);
        over += 1;
        return outcome;
      });
      const plain = await call('plain.example', `beside unresolved names ${String(attempt)}`);
      const missing = await call('missing.example', 'missing');
      const overBefore = over;
      expect(new Set(await Promise.all(silent))).toEqual(new Set(['timed-out']));
      expect([plain, missing, overBefore]).toEqual(['ok', 'not-resolved', 0]);
    });
  });
});
