import { describe, expect, it } from '@jest/globals';
import { PayloadRoom } from '../../../domain/webhooks/delivery/payload-room.ts';
import { eventually } from '../../support/eventually.ts';
import { responding } from '../../support/receiver.ts';
import { anEndpoint } from '../../support/webhooks.ts';
import { deliveryScene } from './delivery-scene.ts';

const { api, payloads, turn, queued, listening, receiving, unexpectedErrors } = await deliveryScene();

const mebibyte = 1_048_576;
const large = { payload: { text: 'x'.repeat(250_000) } };
const events = (count: number) => Array.from({ length: count }, () => large);

describe('payloads in flight', () => {
  it('of one key are at most 8 MiB, and those of another key are sent meanwhile', async () => {
    const { tenant, receiver, endpoint } = await listening();
    const second = await receiving();
    const other = await anEndpoint(api, tenant, second.url);
    let inFlight = 0;
    let most = 0;
    for (const one of [receiver, second])
      one.behave((_, response) => {
        inFlight += 250_000;
        most = Math.max(most, inFlight);
        response.once('close', () => {
          inFlight -= 250_000;
        });
      });
    await queued(tenant, events(40));
    const stopping = new AbortController();
    const turns = [endpoint, other].map(async (one) => {
      // On a slow machine, the requests of a turn may end before there are enough.
      while (!stopping.signal.aborted) await turn(tenant, one, { signal: stopping.signal });
    });
    await eventually(() => expect(inFlight).toBeGreaterThan(7 * mebibyte));
    const neighbor = await listening();
    await queued(neighbor.tenant, events(3));
    await turn(neighbor.tenant, neighbor.endpoint);
    expect(neighbor.receiver.delivered).toHaveLength(3);
    // Each of the two turns may exceed the limit by one claim.
    expect(most).toBeLessThanOrEqual(10 * mebibyte);
    for (const one of [receiver, second]) one.behave(responding(200));
    stopping.abort();
    await receiver.close();
    await second.close();
    await Promise.all(turns);
  });

  it('of other keys, which fill the process, do not keep a key from sending its messages', async () => {
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const hanging = ['a', 'b', 'c', 'd'].map(async (key) =>
      payloads.during(key, 8 * mebibyte, async () => mayEnd),
    );
    const { tenant, receiver, endpoint } = await listening();
    // The second message is larger than the minimum, so it is sent alone.
    await queued(tenant, [{}, large, {}]);
    await turn(tenant, endpoint);
    expect(receiver.delivered).toHaveLength(3);
    end();
    await Promise.all(hanging);
  });

  it('do not keep messages from being sent, each once, when they exceed the limits', async () => {
    const { tenant, receiver, endpoint } = await listening();
    await queued(tenant, events(60));
    expect(await turn(tenant, endpoint)).toEqual({ nextIn: undefined });
    expect(receiver.delivered).toHaveLength(60);
    expect(receiver.ids().size).toBe(60);
    expect(unexpectedErrors).toEqual([]);
  });
});

describe('the room of a process', () => {
  it('is 64 KiB for a key that holds nothing and none for others while 32 MiB are held', async () => {
    const room = new PayloadRoom();
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const hold = async (key: string, bytes: number) => room.during(key, bytes, async () => mayEnd);
    const held = ['1', '2', '3'].map(async (key) => hold(key, 8 * mebibyte));
    expect(room.of('1')).toBe(0);
    expect(room.of('4')).toBe(mebibyte);
    held.push(hold('4', 8 * mebibyte));
    expect(room.of('5')).toBe(65_536);
    held.push(hold('5', 1_000));
    expect(room.of('5')).toBe(0);
    expect(room.of('6')).toBe(65_536);
    end();
    await Promise.all(held);
    expect(room.of('5')).toBe(mebibyte);
  });
});
