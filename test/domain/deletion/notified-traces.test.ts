import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { aDocument, freshId, type TestTenant } from '../../support/factories.ts';
import { aFakeProvider } from '../../support/fake-provider.ts';
import { aReportKey, signedHeaders } from '../../support/sendgrid-reports.ts';
import { aMailingTenant, logOf, notifiedIn, sendersOf, waitingOf } from '../../support/senders.ts';
import { begunDeletion, carriedOut } from './carry-out.ts';

const api = await startTestApi({ environment: { STEWARD_PUBLIC_URL: 'https://steward.test' } });
const sendGrid = await aFakeProvider({ status: 202, headers: { 'x-message-id': 'sg-1' } });
const messaging = { sendGridUrl: `${sendGrid.url}/v3`, publicUrl: 'https://steward.test' };
const senders = sendersOf(api, undefined, { messaging: { ...messaging, emailsPerSecond: 1_000 } });
afterAll(async () => {
  await senders.close();
  await sendGrid.close();
  await api.close();
});

const { publicKey, privateKey } = aReportKey();
const off = { isEnabled: false };
const hour = 3_600;

/** Every row of the database that contains a text, by its table. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await api.database.sql<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and not exists (select from pg_inherits where inhrelid = c.oid)`,
  );
  const selects = tables.map(
    ({ name }) => `select '${name}' as name from ${name} t where position($1 in t::text) > 0`,
  );
  return (await api.database.sql<{ name: string }>(selects.join(' union '), [text])).map(({ name }) => name);
}

/** Ids, addresses and texts that occur nowhere else. */
function aPerson() {
  const userId = freshId('zeb');
  const email = `${userId}@users.test`;
  const name = `Zebulon ${userId.slice(-8)}`;
  const [headline, text] = [`Headline by ${name}`, `Words of ${name}`];
  return { person: { userId, email, name }, headline, text, marks: [userId, email, name, headline, text] };
}

/** A person with a notice in each state, as a reader and as the actor, and a sent delivery. */
async function aNotifiedPerson() {
  const { person, headline, text, marks } = aPerson();
  const tenant = await aMailingTenant(
    api,
    {},
    { type: 'sendgrid', apiKey: freshId('SG'), fromEmail: 'news@acme.test', eventPublicKey: publicKey },
  );
  const { data } = await tenant.ok<{ eventUrl: string }>('/v2/workspace/emailconfig/get');
  const settings = async (notificationServiceConfig: object) =>
    tenant.ok('/v2/workspace/notificationconfig/update', { notificationServiceConfig });
  const location = await aDocument(tenant);
  const other = { userId: freshId('carl'), email: 'carl@users.test' };
  const notices = async () => {
    await notifiedIn(tenant, location, { notifyUsers: [person] });
    await notifiedIn(tenant, location, {
      notifyUsers: [other],
      actionUser: person,
      displayHeadlineMessageTemplate: headline,
      displayBodyMessage: text,
    });
  };
  await notices();
  await senders.turn(tenant);
  const sent = sendGrid.calls.find(({ body }) => body.includes(person.email));
  const [, deliveryId = ''] = /"delivery":"([^"]+)"/.exec(sent?.body ?? '') ?? [];

  await settings({
    batchConfig: { document: { isEnabled: true, batchWindowSeconds: hour, maxActivities: 50 } },
  });
  await notices();
  await senders.turn(tenant);
  await settings({ batchConfig: { document: off } });
  sendGrid.reply(() => ({ status: 401 }));
  await notices();
  await senders.turn(tenant);
  sendGrid.reply(() => ({ status: 202 }));
  await settings({ delayConfig: { isEnabled: true, delaySeconds: hour } });
  await notices();
  return { tenant, person, marks, deliveryId, other, eventUrl: new URL(data.eventUrl).pathname };
}

const suppressed = async (tenant: TestTenant, email: string) =>
  (
    await tenant.ok<Record<string, { suppressed: boolean; reason: string | null }>>(
      '/v2/workspace/emailsuppressions/get',
      { emails: [email] },
    )
  ).data[email];

describe('the deletion of a user whose notices wait, are batched, held and sent', () => {
  it('leaves no id, address, name, subject or text of the user in any table or log', async () => {
    const { tenant, person, marks, other } = await aNotifiedPerson();
    expect(await waitingOf(api, tenant)).toEqual({ notices: 6, windows: 2, outgoing: 2 });
    expect(await logOf(api, tenant)).toHaveLength(2);
    await tenant.ok('/v2/workspace/emailsuppressions/add', { emails: [person.email] });
    for (const mark of marks) expect(await tablesWith(mark)).not.toEqual([]);

    expect(await carriedOut(api, await begunDeletion(api, tenant, { userIds: [person.userId] }))).toEqual([]);
    for (const mark of marks) {
      expect(await tablesWith(mark)).toEqual([]);
      expect(api.log.join('')).not.toContain(mark);
    }
    // A delivery without notices leaves no trace when its channel sends again.
    await api.database.sql('delete from channel_state where api_key_id = $1', [tenant.id]);
    const before = sendGrid.calls.length;
    await senders.turn(tenant, 2 * hour * 1_000);
    expect(sendGrid.calls.slice(before)).toEqual([]);
    expect(await waitingOf(api, tenant)).toEqual({ notices: 0, windows: 0, outgoing: 0 });
    const left = await api.database.sql<{ ext_id: string }>(
      `select u.ext_id from delivery_log l join app_user u on u.id = l.user_id where l.api_key_id = $1`,
      [tenant.id],
    );
    expect(left.filter(({ ext_id }) => ext_id !== other.userId)).toEqual([]);
    // Kept as a hash, so that the address stays suppressed.
    expect(await suppressed(tenant, person.email)).toMatchObject({ suppressed: true, reason: 'manual' });
  });

  it('is not undone by reports of SendGrid that arrive after it', async () => {
    const { tenant, person, marks, deliveryId, eventUrl } = await aNotifiedPerson();
    expect(deliveryId).toMatch(/^dlv_/);
    await carriedOut(api, await begunDeletion(api, tenant, { userIds: [person.userId] }));
    for (const event of ['delivered', 'bounce', 'spamreport']) {
      const body = JSON.stringify([
        { event, delivery: deliveryId, email: person.email, reason: person.name },
      ]);
      const headers = signedHeaders(body, { privateKey });
      const { status } = await fetch(api.url + eventUrl, { method: 'POST', body, headers });
      expect(status).toBe(200);
    }
    expect(await suppressed(tenant, person.email)).toMatchObject({ suppressed: false });
    for (const mark of [...marks, deliveryId]) {
      expect(await tablesWith(mark)).toEqual([]);
      expect(api.log.join('')).not.toContain(mark);
    }
  });
});
