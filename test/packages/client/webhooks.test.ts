import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { signatureHeaders } from '../../../domain/webhooks/delivery/signature.ts';
import { newSecret } from '../../../domain/webhooks/endpoints/secrets.ts';
import { webhooks, WebhookVerificationError } from '../../../packages/client/source/steward.ts';

const secret = newSecret();
const body = JSON.stringify({
  event: 'comment.add',
  webhookId: 'evt_1',
  version: 1,
  sequence: 1,
  data: { text: 'é🦊' },
});

const sentHeaders = (secrets: readonly string[] = [secret], at = Date.now()) =>
  signatureHeaders({ webhookId: 'evt_1', at, body }, secrets);

const expectRefused = async (verification: Promise<unknown>, message: RegExp): Promise<void> => {
  const error: unknown = await verification.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(WebhookVerificationError);
  expect(String(error)).toMatch(message);
};

describe('webhooks.verify of an advanced webhook', () => {
  it('returns the body that Steward or another sender of Standard Webhooks signed', async () => {
    await expect(webhooks.verify(body, sentHeaders(), secret)).resolves.toEqual(JSON.parse(body));
    const at = new Date();
    const headers = {
      'Webhook-Id': 'evt_1',
      'Webhook-Timestamp': String(Math.floor(at.getTime() / 1_000)),
      'Webhook-Signature': new Webhook(secret).sign('evt_1', at, body),
    };
    await expect(webhooks.verify(new TextEncoder().encode(body), headers, secret)).resolves.toMatchObject({
      sequence: 1,
    });
  });

  it('accepts headers of fetch, of Node and of Svix', async () => {
    const headers = sentHeaders();
    await webhooks.verify(body, new Headers(headers), secret);
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    await webhooks.verify(body, lists, secret);
    const ofSvix = Object.entries(headers).map(([name, value]) => [name.replace('webhook-', 'svix-'), value]);
    await webhooks.verify(body, Object.fromEntries(ofSvix) as Record<string, string>, secret);
  });

  it('accepts either secret during a rotation', async () => {
    const next = newSecret();
    const headers = sentHeaders([next, secret]);
    await webhooks.verify(body, headers, secret);
    await webhooks.verify(body, headers, next);
  });

  it('refuses another body, id, time, secret or version', async () => {
    const headers = sentHeaders();
    const mismatch = /No signature matches/;
    await expectRefused(webhooks.verify(`${body} `, headers, secret), mismatch);
    await expectRefused(webhooks.verify(body, { ...headers, 'webhook-id': 'evt_2' }, secret), mismatch);
    const later = String(Number(headers['webhook-timestamp']) + 1);
    await expectRefused(webhooks.verify(body, { ...headers, 'webhook-timestamp': later }, secret), mismatch);
    await expectRefused(webhooks.verify(body, headers, newSecret()), mismatch);
    const signed = headers['webhook-signature'];
    for (const signature of [signed.replace('v1,', 'v2,'), 'v1,', 'v1,%', signed.slice(0, -5), 'v1'])
      await expectRefused(
        webhooks.verify(body, { ...headers, 'webhook-signature': signature }, secret),
        mismatch,
      );
    const unsigned = { 'webhook-id': 'evt_1', 'webhook-timestamp': headers['webhook-timestamp'] };
    await expectRefused(webhooks.verify(body, unsigned, secret), /headers .* are required/);
  });

  it('refuses a timestamp that differs by more than the tolerance or is not a number', async () => {
    for (const differenceMs of [-400_000, 400_000]) {
      const headers = sentHeaders([secret], Date.now() + differenceMs);
      await expectRefused(webhooks.verify(body, headers, secret), /more than 300 seconds/);
      await webhooks.verify(body, headers, secret, { toleranceSeconds: 600 });
    }
    for (const sentAt of ['soon', '', '1e9', '-1', 'Infinity'])
      await expectRefused(
        webhooks.verify(body, { ...sentHeaders(), 'webhook-timestamp': sentAt }, secret),
        /timestamp/,
      );
  });

  it('refuses a signed body that is not a JSON object', async () => {
    const headers = (text: string) =>
      signatureHeaders({ webhookId: 'e', at: Date.now(), body: text }, [secret]);
    for (const text of ['', 'null', '7', '{', '[1]'])
      await expectRefused(webhooks.verify(text, headers(text), secret), /not a JSON object/);
  });

  it('throws a TypeError when the secret is no signing secret', async () => {
    for (const malformed of ['whsec_', 'whsec_%%', 'whsec_a'])
      await expect(webhooks.verify(body, sentHeaders(), malformed)).rejects.toThrow(
        new TypeError('The secret of a webhook is not a signing secret.'),
      );
  });

  it('compares at most ten signatures', async () => {
    const { 'webhook-signature': signed, ...headers } = sentHeaders();
    const other = `v1,${createHmac('sha256', 'other').digest('base64')} `;
    await webhooks.verify(body, { ...headers, 'webhook-signature': other.repeat(9) + signed }, secret);
    const many = { ...headers, 'webhook-signature': other.repeat(10) + signed };
    await expectRefused(webhooks.verify(body, many, secret), /No signature matches/);
  });
});

describe('webhooks.verify of the basic webhook', () => {
  it('returns the body of a request with the auth token, and refuses any other', async () => {
    const authorization = 'Basic token-7';
    await expect(webhooks.verify(body, { authorization }, 'token-7')).resolves.toMatchObject({ version: 1 });
    for (const wrong of ['Basic token-8', 'Basic token-77', 'Basic ', 'Bearer token-7', 'Basic token-'])
      await expectRefused(webhooks.verify(body, { authorization: wrong }, 'token-7'), /Authorization/);
    await expectRefused(webhooks.verify(body, {}, 'token-7'), /Authorization/);
    await expect(webhooks.verify(body, { authorization: 'Basic ' }, '')).rejects.toThrow(TypeError);
    await expectRefused(webhooks.verify('[1]', { authorization }, 'token-7'), /not a JSON object/);
  });
});
