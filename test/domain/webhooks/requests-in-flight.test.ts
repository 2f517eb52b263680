import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { ClaimedBatch, ClaimedMessage } from '../../../domain/webhooks/delivery/claim.ts';
import { PayloadRoom } from '../../../domain/webhooks/delivery/payload-room.ts';
import { RequestsInFlight } from '../../../domain/webhooks/delivery/requests-in-flight.ts';
import type { Destination } from '../../../domain/webhooks/delivery/resolve.ts';
import { send, type AttemptContext } from '../../../domain/webhooks/delivery/send.ts';

const destination: Destination = {
  id: '1',
  publicId: 'ep_1',
  tenantId: '1',
  kind: 0,
  url: 'https://receiver.example/',
  rateLimit: null,
  providerId: null,
  secrets: ['whsec_AAAA'],
  options: { encodeData: false, encryptData: false, enableDataProtection: false, publicKey: '' },
  failingMs: null,
  recovering: false,
  resumedMs: null,
  clockAheadMs: 0,
  isOtherTimeline: false,
  drainingMs: 0,
  epoch: '1',
  state: 'open',
};

const message: ClaimedMessage = {
  eventAt: '2026-01-01',
  eventId: '1',
  dueAt: 0,
  step: 0,
  manual: false,
  early: false,
  claimedUntil: '2026-01-01',
  bytes: 2,
  webhookId: 'evt_1',
  type: 'comment.add',
  source: 'comment',
  sequence: 1,
  channels: [],
  data: '{}',
  at: 0,
};

const context: AttemptContext = {
  outbound: {
    send: async () => Promise.resolve({ status: 200, headers: {}, body: Buffer.alloc(0), cut: false }),
    refusesAddressOf: () => false,
    close: async () => Promise.resolve(),
  },
  webhooks: { name: 'embedded' },
  onUnexpectedError: (error) => {
    throw error;
  },
};

/** Sends a claim that was made `ago` milliseconds ago, and returns how many attempts began. */
async function begun(ago: number, messages: ClaimedBatch['messages']): Promise<number> {
  const requests = new RequestsInFlight(context, new PayloadRoom());
  requests.send({ destination, messages, claimedAt: performance.now() - ago });
  await requests.ended();
  await pause(0);
  return requests.counts.attempted;
}

describe('the attempts of a claim', () => {
  it('begin within 15 s of the claim', async () => {
    expect(await begun(0, [message, message])).toBe(2);
    expect(await begun(10_000, [message])).toBe(1);
  });

  it('do not begin later, as after a stall of the process', async () => {
    expect(await begun(15_000, [message, message])).toBe(0);
    expect(await begun(60_000, [message])).toBe(0);
  });
});

describe('a date in Retry-After', () => {
  it('counts by the clock of PostgreSQL, also where that of the process is wrong', async () => {
    const hourMs = 3_600_000;
    const date = new Date(Date.now() + hourMs + 60_000).toUTCString();
    const refusing: AttemptContext = {
      ...context,
      outbound: {
        ...context.outbound,
        send: async () =>
          Promise.resolve({
            status: 503,
            headers: { 'retry-after': date },
            body: Buffer.alloc(0),
            cut: false,
          }),
      },
    };
    const { retryAfterMs = 0 } = await send(refusing, { ...destination, clockAheadMs: hourMs }, message);
    expect(retryAfterMs).toBeGreaterThan(0);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  });
});
