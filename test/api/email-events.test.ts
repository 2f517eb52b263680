import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { startTestApi, type TestApi } from '../support/api.ts';
import { deadlockOnce } from '../support/deadlock-once.ts';
import { freshId, type TestTenant } from '../support/factories.ts';
import { aFakeProvider, type FakeProvider } from '../support/fake-provider.ts';
import { rawExchange } from '../support/raw-http.ts';
import { aReportKey, signedHeaders } from '../support/sendgrid-reports.ts';
import { aMailingTenant, notified, sendersOf } from '../support/senders.ts';

const apiKey = 'SG.secret-of-the-test';
const { publicKey, privateKey } = aReportKey();

let api: TestApi;
let provider: FakeProvider;
let senders: ReturnType<typeof sendersOf>;
let tenant: TestTenant;
let url: string;

/** A key that sends through SendGrid, and the URL for its reports. */
async function aReportedTenant(settings: object = {}) {
  const made = await aMailingTenant(
    api,
    {},
    { type: 'sendgrid', apiKey, fromEmail: 'team@acme.test', eventPublicKey: publicKey, ...settings },
  );
  const { data } = await made.ok<{ eventUrl: string }>('/v2/workspace/emailconfig/get');
  return { tenant: made, url: api.url + new URL(data.eventUrl).pathname };
}

beforeAll(async () => {
  api = await startTestApi({ environment: { STEWARD_PUBLIC_URL: 'https://steward.test' } });
  provider = await aFakeProvider({ status: 202 });
  senders = sendersOf(api, undefined, { messaging: { sendGridUrl: `${provider.url}/v3` } });
  ({ tenant, url } = await aReportedTenant());
});
afterAll(async () => {
  await senders.close();
  await provider.close();
  await api.close();
});

/** A delivery that SendGrid has accepted, with its address. */
async function sent(of = tenant) {
  const email = `${freshId('ben')}@users.test`;
  const { notificationId } = await notified(of, { notifyUsers: [{ userId: freshId('ben'), email }] });
  await senders.turn(of);
  const { personalizations } = JSON.parse(provider.calls.at(-1)?.body ?? '{}') as {
    personalizations: [{ custom_args: { delivery: string } }];
  };
  return { email, notificationId, delivery: personalizations[0].custom_args.delivery };
}

const post = async (body: string | Buffer, headers = signedHeaders(body, { privateKey }), to = url) =>
  fetch(to, { method: 'POST', body: new Uint8Array(Buffer.from(body)), headers });

const report = async (...events: unknown[]): Promise<number> => (await post(JSON.stringify(events))).status;

const statusOf = async ({ delivery }: { readonly delivery: string }) =>
  (
    await api.database.sql<{ status: number; reason: number | null }>(
      `select status, reason from delivery_log where public_id = $1`,
      [delivery],
    )
  )[0];

async function suppressionOf({ email }: { readonly email: string }, of = tenant): Promise<string | null> {
  const { data } = await of.ok<Record<string, { reason: string | null }>>(
    '/v2/workspace/emailsuppressions/get',
    { emails: [email] },
  );
  return data[email]?.reason ?? null;
}

const statuses = { sent: 1, delivered: 2, bounced: 3, complained: 4, failed: 6 } as const;
const refused = 17;

describe('a report of SendGrid', () => {
  it.each([
    ['delivered', {}, 'delivered', null],
    ['bounce', { type: 'bounce' }, 'bounced', 'bounced'],
    ['bounce', { type: 'blocked' }, 'failed', null],
    ['dropped', { reason: 'Bounced Address' }, 'failed', null],
    ['spamreport', {}, 'complained', 'complained'],
    ['processed', {}, 'sent', null],
    ['open', {}, 'sent', null],
    ['__proto__', {}, 'sent', null],
  ] as const)('%s %j leads to %s', async (event, more, status, suppressed) => {
    const one = await sent();
    expect(await report({ event, ...more, email: one.email, delivery: one.delivery, timestamp: 1 })).toBe(
      200,
    );
    expect(await statusOf(one)).toEqual({
      status: statuses[status],
      reason: status === 'failed' ? refused : null,
    });
    expect(await suppressionOf(one)).toBe(suppressed);
  });

  it('is returned by deliveries/get, and stops the next e-mail to an address that bounced', async () => {
    const one = await sent();
    const { email, delivery, notificationId } = one;
    await report({ event: 'bounce', email: email.toUpperCase(), delivery });
    const [row] = await api.database.sql<{ ext_id: string }>(
      `select o.ext_id from delivery_log l join organization o on o.id = l.org_id where l.public_id = $1`,
      [delivery],
    );
    const { data } = await tenant.ok<object[]>('/v2/notifications/deliveries/get', {
      organizationId: row?.ext_id,
      notificationId,
    });
    expect(data).toMatchObject([{ deliveryId: delivery, status: 'bounced' }]);
    const before = provider.calls.length;
    await notified(tenant, { notifyUsers: [{ userId: freshId('ben'), email }] });
    await senders.turn(tenant);
    expect(provider.calls.length).toBe(before);
  });

  it('changes the status sent once, and a final status only to complained', async () => {
    const one = await sent();
    const of = (event: string) => ({ event, email: one.email, delivery: one.delivery });
    await report(of('delivered'));
    await report(of('dropped'), of('bounce'), of('delivered'));
    expect(await statusOf(one)).toEqual({ status: statuses.delivered, reason: null });
    // The address is suppressed nevertheless.
    expect(await suppressionOf(one)).toBe('bounced');
    await report(of('spamreport'), of('delivered'), of('bounce'));
    expect(await statusOf(one)).toEqual({ status: statuses.complained, reason: null });
    expect(await suppressionOf(one)).toBe('bounced');
  });

  it('changes nothing when it is repeated', async () => {
    const [one, two] = [await sent(), await sent()];
    const events = [
      { event: 'bounce', email: one.email, delivery: one.delivery },
      { event: 'dropped', email: two.email, delivery: two.delivery },
    ];
    const rows = async () =>
      api.database.sql(
        `select l.xmin, l.status, s.at, s.xmin as listed from delivery_log l
         left join mail_suppression s on s.api_key_id = l.api_key_id
         where l.public_id = any($1) order by l.id, s.address_hash`,
        [[one.delivery, two.delivery]],
      );
    await report(...events);
    const once = await rows();
    expect(await Promise.all([report(...events), report(...events.toReversed())])).toEqual([200, 200]);
    expect(await rows()).toEqual(once);
  });

  it.each([
    ['bounce', 'bounced', 'bounced'],
    ['spamreport', 'complained', 'complained'],
  ] as const)(
    'of %s does not suppress an address again after its removal from the list',
    async (event, status, reason) => {
      const one = await sent();
      const body = JSON.stringify([{ event, email: one.email, delivery: one.delivery }]);
      const headers = signedHeaders(body, { privateKey });
      expect((await post(body, headers)).status).toBe(200);
      expect(await suppressionOf(one)).toBe(reason);
      await tenant.ok('/v2/workspace/emailsuppressions/delete', { emails: [one.email] });
      expect((await post(body, headers)).status).toBe(200);
      expect(await report({ event, email: one.email, delivery: one.delivery, timestamp: 2 })).toBe(200);
      expect(await statusOf(one)).toEqual({ status: statuses[status], reason: null });
      expect(await suppressionOf(one)).toBeNull();
    },
  );

  it('of a later complaint, or about another delivery, suppresses an address again', async () => {
    const one = await sent();
    const bounce = { event: 'bounce', email: one.email };
    await report({ ...bounce, delivery: one.delivery });
    const remove = async () => tenant.ok('/v2/workspace/emailsuppressions/delete', { emails: [one.email] });
    await remove();
    await report({ ...bounce, event: 'spamreport', delivery: one.delivery });
    expect(await suppressionOf(one)).toBe('complained');
    await remove();
    const another = await sent();
    await report({ ...bounce, delivery: another.delivery });
    expect(await suppressionOf(one)).toBe('bounced');
  });

  it('is applied again after a deadlock', async () => {
    const one = await sent();
    const refused = await deadlockOnce(api.database, 'delivery_log');
    expect(await report({ event: 'bounce', email: one.email, delivery: one.delivery })).toBe(200);
    expect(await refused()).toBe(true);
    expect(await suppressionOf(one)).toBe('bounced');
  });

  it('returns 503 while the delivery is being sent, and applies when it is repeated', async () => {
    const one = await sent();
    const claimed = await api.database.sql<{ id: string }>(
      `insert into outgoing (public_id, api_key_id, org_id, user_id, channel, digest, attempts, next_at, claimed_until)
       select public_id, api_key_id, org_id, user_id, channel, digest, attempts, at, now() + interval '1 hour'
       from delivery_log where public_id = $1 returning id`,
      [one.delivery],
    );
    const body = JSON.stringify([{ event: 'bounce', email: one.email, delivery: one.delivery }]);
    const early = await post(body);
    expect([early.status, early.headers.get('retry-after')]).toEqual([503, '60']);
    expect([await statusOf(one), await suppressionOf(one)]).toEqual([
      { status: statuses.sent, reason: null },
      null,
    ]);
    await api.database.sql('delete from outgoing where id = $1', [claimed[0]?.id]);
    expect((await post(body)).status).toBe(200);
    expect([await statusOf(one), await suppressionOf(one)]).toEqual([
      { status: statuses.bounced, reason: null },
      'bounced',
    ]);
  });

  it('applies to a delivery that is being recorded while it arrives', async () => {
    let reported: Promise<number> | undefined;
    provider.reply(({ body }) => {
      const [, delivery] = /"delivery":"([^"]+)"/.exec(body) ?? [];
      reported = report({ event: 'delivered', delivery });
      return { status: 202 };
    });
    const one = await sent();
    provider.reply(() => ({ status: 202 }));
    expect(await reported).toBe(200);
    expect(await statusOf(one)).toEqual({ status: statuses.delivered, reason: null });
  });

  it('returns the same for unknown deliveries and those of another key, and changes nothing', async () => {
    const other = (await aReportedTenant()).tenant;
    const one = await sent(other);
    const unknown = `dlv_${'A'.repeat(32)}`;
    for (const delivery of [one.delivery, unknown, '', 'x'.repeat(200)])
      expect(await report({ event: 'bounce', email: one.email, delivery })).toBe(200);
    expect(await statusOf(one)).toEqual({ status: statuses.sent, reason: null });
    expect([await suppressionOf(one), await suppressionOf(one, other)]).toEqual([null, null]);
  });
});

describe('a request for /email/events/{hookId}', () => {
  const seconds = () => Math.floor(Date.now() / 1_000);
  const body = '[]';

  it.each<[string, () => Record<string, string>]>([
    ['no signature', () => ({})],
    ['the signature of another key', () => signedHeaders(body, { privateKey: aReportKey().privateKey })],
    ['the signature of another body', () => signedHeaders('[ ]', { privateKey })],
    [
      'the signature of another time',
      () => ({
        ...signedHeaders(body, { privateKey }),
        'x-twilio-email-event-webhook-timestamp': String(seconds() + 1),
      }),
    ],
    [
      'a signature that is not base64',
      () => ({ ...signedHeaders(body, { privateKey }), 'x-twilio-email-event-webhook-signature': '\u{e4}?' }),
    ],
  ])('is refused with 403 with %s', async (_, headers) => {
    expect((await post(body, headers())).status).toBe(403);
  });

  it.each([-400_000_000, -90_000, 86_400])(
    'is accepted with a signature of any time: %d seconds from now',
    async (from) => {
      const headers = signedHeaders(body, { privateKey, timestamp: seconds() + from });
      expect((await post(body, headers)).status).toBe(200);
    },
  );

  it('is refused with 403 while the key has no eventPublicKey, and with 404 for an unknown hookId', async () => {
    const keyless = await aReportedTenant({ eventPublicKey: '' });
    const headers = signedHeaders(body, { privateKey });
    expect((await post(body, headers, keyless.url)).status).toBe(403);
    expect((await post(body, headers, `${api.url}/email/events/${'A'.repeat(32)}`)).status).toBe(404);
    expect((await post(body, headers, `${api.url}/email/events/%00`)).status).toBe(404);
  });

  it('is refused with 413 above 1 MiB, with 405 for other methods, and with 408 when its body does not arrive', async () => {
    const large = `[${' '.repeat(1_048_575)}]`;
    expect((await post(large)).status).toBe(413);
    expect((await fetch(url)).status).toBe(405);
    const hasty = await startTestApi({ database: api.database, limits: { bodyWithinMs: 50 } });
    const { pathname, host } = new URL(url);
    const head = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 2\r\n\r\n`;
    expect(await rawExchange(hasty.url, [head])).toMatch(/^HTTP\/1\.1 408 /);
    await hasty.close();
  });

  it('accepts 1 MiB of reports about one delivery', async () => {
    const one = await sent();
    const event = JSON.stringify({ event: 'delivered', delivery: one.delivery });
    const count = Math.floor(1_048_570 / (event.length + 1));
    const signed = `[${Array.from({ length: count }, () => event).join()}]`;
    expect((await post(signed)).status).toBe(200);
    expect(await statusOf(one)).toEqual({ status: statuses.delivered, reason: null });
  });

  it('returns 200 or 400 for every signed body, and changes nothing for bodies without reports', async () => {
    const one = await sent();
    const hostile = fc.oneof(
      fc.json(),
      fc.string(),
      fc
        .array(
          fc.record(
            {
              event: fc.oneof(fc.constantFrom('bounce', 'spamreport', 'dropped', 'toString'), fc.anything()),
              delivery: fc.oneof(fc.string(), fc.constant(`${one.delivery} `), fc.anything()),
              email: fc.oneof(
                fc.string({ unit: 'binary' }),
                fc.constant('a\r\nBcc: b@c.test'),
                fc.anything(),
              ),
              type: fc.anything(),
            },
            { requiredKeys: [] },
          ),
        )
        .map((events) => JSON.stringify(events) ?? ''),
    );
    await fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        expect([200, 400]).toContain((await post(text)).status);
      }),
      { numRuns: 60 },
    );
    expect(await statusOf(one)).toEqual({ status: statuses.sent, reason: null });
    expect(api.log.filter((line) => line.includes('unexpected error'))).toEqual([]);
  });

  it('stores and logs no address, hookId, signature or provider key', async () => {
    const one = await sent();
    const signed = JSON.stringify([{ event: 'spamreport', email: one.email, delivery: one.delivery }]);
    const headers = signedHeaders(signed, { privateKey });
    headers['x-request-id'] = 'sendgrid-report';
    await post(signed, headers);
    await post(`${signed} `, headers);
    expect(api.accessLine('sendgrid-report')?.['operation']).toBe('/email/events/{hookId}');
    const log = api.log.join('');
    const signature = headers['x-twilio-email-event-webhook-signature'] ?? '';
    for (const secret of [one.email, url.split('/').at(-1) ?? '', signature, apiKey, one.delivery])
      expect(log).not.toContain(secret);
    const stored = await api.database.sql<{ row: string }>(
      `select row_to_json(l)::text as row from delivery_log l where l.public_id = $1`,
      [one.delivery],
    );
    expect(JSON.stringify(stored)).not.toContain(one.email);
  });
});
