import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../support/api.ts';
import { aClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { aTenant, freshId, type TestTenant } from '../support/factories.ts';
import { aFakeProvider } from '../support/fake-provider.ts';
import { aMailServer } from '../support/mail-server.ts';

const mail = await aMailServer();
const slack = await aFakeProvider({ status: 200, body: '{"ok":true,"user":{"id":"U1"},"ts":"1.2"}' });
const unconfigured = await startTestApi();
const api = await startTestApi({
  database: unconfigured.database,
  environment: {
    STEWARD_SMTP_URL: mail.url,
    STEWARD_MAIL_FROM: 'steward@deployment.example',
    STEWARD_MAIL_FROM_DOMAINS: 'shared.example',
    STEWARD_SLACK_API_URL: slack.url,
  },
});
afterAll(async () => {
  await api.close();
  await unconfigured.close();
  await mail.close();
  await slack.close();
});

const config = '/v2/workspace/emailconfig';
const suppressions = '/v2/workspace/emailsuppressions';

interface Tested {
  readonly messageId: string;
  readonly from: string;
  readonly attempt: { readonly outcome: string; readonly code: string; readonly durationMs: number };
  readonly warnings: readonly string[];
}

const aKey = async (settings: object = {}): Promise<TestTenant> => {
  const tenant = await aTenant(api);
  await tenant.ok(`${config}/update`, { emailServiceConfig: { fromCompany: 'Acme', ...settings } });
  return tenant;
};
const tested = async (tenant: TestTenant, to: string): Promise<Tested> =>
  (await tenant.ok<Tested>(`${config}/test`, { to })).data;

describe('a test e-mail', () => {
  it('is sent from the address of the key when its domain is listed, also while e-mail is off', async () => {
    const { messageId, from, attempt } = await tested(
      await aKey({ fromEmail: 'ada@shared.example', replyTo: 'replies@example.com' }),
      'listed@example.com',
    );
    expect(attempt.outcome).toBe('accepted');
    expect(from).toBe('ada@shared.example');
    const sent = mail.mails.find(({ to }) => to === 'listed@example.com');
    expect(sent?.from).toBe('ada@shared.example');
    expect(sent?.parsed).toMatchObject({
      messageId,
      from: { value: [{ name: 'Acme', address: 'ada@shared.example' }] },
      replyTo: { value: [{ address: 'replies@example.com' }] },
    });
  });

  it('is not sent from the domain of another workspace', async () => {
    const { from, warnings } = await tested(await aKey({ fromEmail: 'ceo@victim.example' }), 'x@example.com');
    expect(from).toBe('steward@deployment.example');
    expect(mail.mails.find(({ to }) => to === 'x@example.com')?.from).toBe('steward@deployment.example');
    expect(warnings[0]).toMatch(/^E-mails are sent from the address of the deployment/);
  });

  it('is a successful call when the server refuses it, and suppresses nothing', async () => {
    mail.script('gone@example.com', { atRecipient: '550 5.1.1 no such user' });
    const tenant = await aKey();
    const { attempt } = await tested(tenant, 'gone@example.com');
    expect(attempt).toMatchObject({ outcome: 'refused', code: '5.1.1' });
    const { data } = await tenant.ok<object>(`${suppressions}/get`, { emails: ['gone@example.com'] });
    expect(data).toEqual({ 'gone@example.com': { suppressed: false, reason: null, at: null } });
  });

  it('names the setting that is missing', async () => {
    const tenant = await aKey();
    const elsewhere = aClient(unconfigured.url, tenant.headers);
    const { data } = await elsewhere.ok<Tested>(`${config}/test`, { to: 'x@example.com' });
    expect(data).toMatchObject({ from: '', attempt: { outcome: 'failed', code: 'smtp-not-configured' } });
  });

  it('is refused for type custom, and after 10 per minute in all API processes together', async () => {
    // Again with a new key when a slow machine takes a minute, or sends no heartbeat for 4 s: calls then stop counting.
    await eventually(async () => {
      const tenant = await aKey({ type: 'custom' });
      const address = `${freshId('many')}@example.com`;
      expect(await tenant.refused(`${config}/test`, { to: address })).toMatchObject({
        status: 'FAILED_PRECONDITION',
        message: 'Type custom sends no e-mail.',
      });
      await tenant.ok(`${config}/update`, { emailServiceConfig: { type: 'default' } });
      for (let sent = 0; sent < 10; sent += 1) await tested(tenant, address);
      const elsewhere = aClient(unconfigured.url, tenant.headers);
      for (const client of [tenant, elsewhere])
        expect(await client.refused(`${config}/test`, { to: address })).toMatchObject({
          status: 'RESOURCE_EXHAUSTED',
          message: expect.stringMatching(/^Rate limit exceeded\. Try again after \d+ second\(s\)\.$/),
        });
      expect(mail.mails.filter(({ to }) => to === address)).toHaveLength(10);
    });
  });
});

describe('a test Slack message', () => {
  it('is sent to the Slack account of the user’s address', async () => {
    const tenant = await aTenant(api);
    await tenant.ok('/v2/organizations/add', { organizations: [{ organizationId: 'acme' }] });
    const users = [{ userId: 'ada', name: 'Ada', email: 'ada@example.com' }];
    await tenant.ok('/v2/users/add', { organizationId: 'acme', users });
    const test = async () => (await tenant.ok('/v2/workspace/slackconfig/test', { userId: 'ada' })).data;
    expect(await test()).toMatchObject({ attempt: { outcome: 'failed', code: 'token-missing' } });
    await tenant.ok('/v2/workspace/slackconfig/update', { slackServiceConfig: { botToken: 'xoxb-1' } });
    expect(await test()).toMatchObject({ attempt: { outcome: 'accepted', code: 'ok' } });
    expect(slack.calls.map(({ path }) => path)).toEqual(['/users.lookupByEmail', '/chat.postMessage']);
    expect(await tenant.refused('/v2/workspace/slackconfig/test', { userId: 'nobody' })).toMatchObject({
      status: 'NOT_FOUND',
      message: 'User does not exist.',
    });
  });
});

describe('suppressed addresses', () => {
  it('are found with any case and form of their domain, by their key only, and stored as hashes', async () => {
    const [tenant, other] = [await aTenant(api), await aTenant(api)];
    const add = await tenant.ok<object>(`${suppressions}/add`, { emails: ['Ada@BÜCHER.example'] });
    expect(add).toMatchObject({
      message: 'Suppression(s) added successfully.',
      data: { 'Ada@BÜCHER.example': { success: true, message: 'Added Successfully' } },
    });
    const emails = ['ada@xn--bcher-kva.example', 'eve@example.com'];
    const suppressed = { suppressed: true, reason: 'manual', at: expect.any(Number) };
    const clear = { suppressed: false, reason: null, at: null };
    expect(await tenant.ok(`${suppressions}/get`, { emails })).toMatchObject({
      message: 'Suppression(s) retrieved successfully.',
      data: { [emails[0] ?? '']: suppressed, [emails[1] ?? '']: clear },
    });
    expect((await other.ok(`${suppressions}/get`, { emails })).data).toEqual({
      [emails[0] ?? '']: clear,
      [emails[1] ?? '']: clear,
    });
    expect((await other.ok<object>(`${suppressions}/delete`, { emails })).data).toMatchObject({
      [emails[0] ?? '']: { success: false, code: 'not-found', message: 'Suppression does not exist.' },
    });
    expect((await tenant.ok<object>(`${suppressions}/delete`, { emails })).data).toMatchObject({
      [emails[0] ?? '']: { success: true, message: 'Deleted Successfully' },
      [emails[1] ?? '']: { success: false },
    });
    expect((await tenant.ok(`${suppressions}/get`, { emails: emails.slice(0, 1) })).data).toEqual({
      [emails[0] ?? '']: clear,
    });
  });
});
