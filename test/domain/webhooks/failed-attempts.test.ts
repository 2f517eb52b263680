import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import type { TestTenant } from '../../support/factories.ts';
import { responding, hanging } from '../../support/receiver.ts';
import { aListeningTenant, anEndpoint } from '../../support/webhooks.ts';
import { deliveryScene } from './delivery-scene.ts';

const { api, database, turn, queued, messages, attempts, later, receiving, listening, unexpectedErrors } =
  await deliveryScene();

describe('a failed attempt', () => {
  it('is retried by the schedule under the same id, with a new signature each time, until the schedule ends', async () => {
    const { tenant, receiver, endpoint } = await listening();
    receiver.behave(responding(500, {}, `sorry \u0000${'é'.repeat(2_000)}`));
    await queued(tenant);
    const { nextIn = 0 } = await turn(tenant, endpoint);
    expect(nextIn).toBeGreaterThan(0);
    expect(nextIn).toBeLessThanOrEqual(5_500);
    await later(tenant, '6 seconds');
    const { nextIn: second = 0 } = await turn(tenant, endpoint);
    expect(second).toBeGreaterThan(200_000);
    await later(tenant, '6 minutes');
    expect(await turn(tenant, endpoint)).toEqual({ nextIn: undefined });
    expect(await messages(tenant)).toEqual([
      {
        status: 2,
        status_reason: 'The endpoint responded with 500.',
        attempts: 3,
        step: 3,
        resends: 0,
        due_in: null,
      },
    ]);
    const logged = await attempts(tenant);
    expect(logged.map(({ no, status, http_status }) => [no, status, http_status])).toEqual([
      [1, 2, 500],
      [2, 2, 500],
      [3, 2, 500],
    ]);
    expect(Buffer.byteLength(logged[0]?.response ?? '')).toBeLessThanOrEqual(1_024);
    expect(logged[0]?.response).toMatch(/^sorry é+$/);
    expect(receiver.ids().size).toBe(1);
    expect(new Set(receiver.delivered.map(({ text }) => text)).size).toBe(1);
  });

  it('is recorded when the response is a redirect, which is not followed', async () => {
    const { tenant, receiver, endpoint } = await listening();
    const target = await receiving();
    for (const status of [301, 302, 307, 308]) {
      receiver.behave(responding(status, { location: target.url }));
      await queued(tenant);
      await turn(tenant, endpoint);
    }
    expect(target.delivered).toEqual([]);
    expect((await attempts(tenant)).map(({ http_status, status }) => [http_status, status])).toEqual([
      [301, 2],
      [302, 2],
      [307, 2],
      [308, 2],
    ]);
  });

  it('is retried after Retry-After, in seconds or as a date', async () => {
    for (const ask of ['3600', new Date(Date.now() + 3_600_000).toUTCString()]) {
      const { tenant, receiver, endpoint } = await listening();
      receiver.behave(responding(503, { 'retry-after': ask }));
      await queued(tenant);
      const { nextIn = 0 } = await turn(tenant, endpoint);
      expect(nextIn).toBeGreaterThan(3_000_000);
      expect(nextIn).toBeLessThanOrEqual(3_600_000);
    }
  });

  it('is recorded with its status when the response repeats Retry-After, whose first value counts', async () => {
    const { tenant, receiver, endpoint } = await listening();
    receiver.behave(responding(503, { 'retry-after': ['3600', '7200'] }));
    await queued(tenant);
    const { nextIn = 0 } = await turn(tenant, endpoint);
    expect(nextIn).toBeGreaterThan(3_000_000);
    expect(nextIn).toBeLessThanOrEqual(3_600_000);
    expect(await attempts(tenant)).toMatchObject([
      { http_status: 503, error: 'The endpoint responded with 503.' },
    ]);
    expect(unexpectedErrors).toEqual([]);
  });

  it('is recorded after 15 seconds without a response', async () => {
    const { tenant, receiver, endpoint } = await listening();
    receiver.behave(hanging);
    await queued(tenant);
    const began = Date.now();
    await turn(tenant, endpoint);
    expect(Date.now() - began).toBeLessThan(150_000);
    expect(await attempts(tenant)).toMatchObject([{ http_status: null, error: 'The request timed out.' }]);
  });

  it('is recorded when the connection or the address is refused', async () => {
    const tenant = await aListeningTenant(api);
    const endpoints = [
      await anEndpoint(api, tenant, 'http://127.0.0.1:1/hook'),
      await anEndpoint(api, tenant, 'http://169.254.169.254/hook'),
    ];
    await queued(tenant);
    for (const endpoint of endpoints) await turn(tenant, endpoint);
    expect((await attempts(tenant)).map(({ http_status, error }) => [http_status, error])).toEqual([
      [null, 'The connection failed.'],
      [null, 'The host has a private or reserved address.'],
    ]);
  });
});

describe('a requested attempt', () => {
  const resend = async (tenant: TestTenant): Promise<unknown> =>
    database.sql(
      'update delivery set status = 0, resends = resends + 1, next_at = now(), delivered = false where api_key_id = $1',
      [tenant.id],
    );

  it('uses the same id, and is not retried when it fails', async () => {
    const { tenant, receiver, endpoint } = await listening();
    await queued(tenant);
    await turn(tenant, endpoint);
    receiver.behave(responding(500));
    await resend(tenant);
    expect(await turn(tenant, endpoint)).toEqual({ nextIn: undefined });
    expect(await messages(tenant)).toMatchObject([
      { status: 2, attempts: 2, step: 1, resends: 0, due_in: null },
    ]);
    receiver.behave(responding(200));
    await resend(tenant);
    await turn(tenant, endpoint);
    expect(await messages(tenant)).toMatchObject([{ status: 1, attempts: 3, step: 1 }]);
    expect((await attempts(tenant)).map(({ trigger }) => trigger)).toEqual([0, 1, 1]);
    expect(receiver.ids().size).toBe(1);
  });

  it('keeps the retry schedule when it fails, and ends it when it succeeds', async () => {
    const { tenant, receiver, endpoint } = await listening();
    receiver.behave(responding(500));
    await queued(tenant);
    await turn(tenant, endpoint);
    await resend(tenant);
    const { nextIn = 0 } = await turn(tenant, endpoint);
    expect(nextIn).toBeGreaterThan(0);
    expect(await messages(tenant)).toMatchObject([{ status: 0, attempts: 2, step: 1 }]);
    receiver.behave(responding(200));
    await resend(tenant);
    await turn(tenant, endpoint);
    expect(await messages(tenant)).toMatchObject([{ status: 1, attempts: 3, due_in: null }]);
  });

  it('starts after an attempt in flight has ended', async () => {
    const { tenant, receiver, endpoint } = await listening();
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    receiver.behave((_, response) => void mayEnd.then(() => response.end()));
    await queued(tenant);
    const turning = turn(tenant, endpoint);
    await eventually(() => receiver.delivered.length === 1);
    await resend(tenant);
    expect(receiver.delivered).toHaveLength(1);
    end();
    await turning;
    expect(receiver.delivered).toHaveLength(2);
    expect(await messages(tenant)).toMatchObject([{ status: 1, attempts: 2, resends: 0 }]);
  });
});
