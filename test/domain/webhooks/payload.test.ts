import { generateKeyPairSync, randomBytes, webcrypto, type KeyObject } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import {
  finalBody,
  holdReason,
  plainBody,
  featureTypeOf,
  type Message,
  type PayloadOptions,
} from '../../../domain/webhooks/delivery/payload.ts';
import { protectedData } from '../../../domain/webhooks/delivery/protected-data.ts';
import { signatureHeaders } from '../../../domain/webhooks/delivery/signature.ts';

const plain: PayloadOptions = {
  encodeData: false,
  encryptData: false,
  enableDataProtection: false,
  publicKey: '',
};

const message: Message = {
  webhookId: 'evt_1',
  type: 'comment.add',
  source: 'comment',
  sequence: 7,
  channels: ['acme'],
  data: '{"b":1,"a":"päper 🦊","n":1.50,"actionUser":{"userId":"u1","name":"Ada","email":"ada@example.com"}}',
  at: 0,
};

const newSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`;

describe('the source of an event', () => {
  it.each([
    ['{"featureType":"comment","actionType":"x"}', 'comment'],
    ['{"actionType":"x","featureType":"recorder"}', 'recorder'],
    ['{"text":"{\\"featureType\\":\\"comment\\""}', 'system'],
    ['{"nested":{"featureType":"comment"}}', 'system'],
    ['{"featureType":1}', 'system'],
    ['[{"featureType":"comment"}]', 'system'],
    ['null', 'system'],
  ])('of %s is %s', (data, source) => {
    expect(featureTypeOf('any.type', data)).toBe(source);
  });

  it.each(['comment.add', 'comment_annotation.delete'])(
    'of type %s is comment without a featureType',
    (type) => {
      expect(featureTypeOf(type, '{}')).toBe('comment');
    },
  );
});

describe('the body of a webhook', () => {
  it('has its members in documented order, and data exactly as recorded', () => {
    expect(plainBody(message, plain)).toBe(
      `{"event":"comment.add","actionType":"comment.add","source":"comment","webhookId":"evt_1","version":1,"sequence":7,"data":${message.data}}`,
    );
  });

  it('is base64 of its JSON when encoding is on', () => {
    const text = plainBody(message, plain);
    const body = finalBody(text, { ...plain, encodeData: true });
    expect(Object.keys(JSON.parse(body) as object)).toEqual(['encodedPayload']);
    const { encodedPayload } = JSON.parse(body) as { encodedPayload: string };
    expect(Buffer.from(encodedPayload, 'base64').toString('utf8')).toBe(text);
  });

  it.each(['spki', 'pkcs1'] as const)(
    'is decrypted only by the private key when encryption is on (%s), also with encoding',
    async (type) => {
      const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
      const der = publicKey.export({ type, format: 'der' }).toString('base64');
      const text = plainBody(message, plain);
      const options = { ...plain, encryptData: true, encodeData: true, publicKey: der };
      const body = finalBody(text, options);
      expect(Object.keys(JSON.parse(body) as object)).toEqual(['encryptedData', 'encryptedKey', 'iv']);
      expect(await decrypted(body, privateKey)).toBe(text);
      expect(finalBody(text, options)).not.toBe(body);
    },
  );

  it('is held when encryption is on without a usable public key', () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const reasonFor = (text: string) => holdReason({ ...plain, encryptData: true, publicKey: text });
    expect(reasonFor('')).toBe('Encryption is on and no public key is set.');
    expect(reasonFor('x')).toBe('Encryption is on and the public key is not usable. Set another one.');
    expect(reasonFor(publicKey.export({ type: 'spki', format: 'pem' }).toString())).toBeUndefined();
    expect(holdReason({ ...plain, encodeData: true, publicKey: 'x' })).toBeUndefined();
  });

  it('contains no names and no written text when data protection is on', () => {
    const data = {
      id: 'act_1',
      featureType: 'comment',
      actionType: 'comment.add',
      actionUser: { userId: 'u1', name: 'Ada', email: 'ada@example.com', photoUrl: 'https://x/ada.png' },
      targetEntityId: 'c1',
      displayMessageTemplate: '{{actionUser}} wrote',
      entityData: {
        commentId: 'c1',
        text: 'Meet me',
        mentions: [{ userId: 'u2', name: 'Bob' }],
        pinned: true,
      },
      notifyUsers: { 'bob@example.com': { userId: 'u2' } },
      notifyUsersByUserId: { u2: { userId: 'u2', email: 'bob@example.com' } },
      emailRecipients: [{ userId: 'u2', email: 'bob@example.com' }],
      timestamp: 5,
      startedAt: '2026-11-21T10:00:00.000Z',
      userIds: ['u1', 'u2'],
      fromEmailId: 'ada@example.com',
      emailIds: ['bob@example.com'],
      metadata: { organizationId: 'acme', documentId: 'plan', title: 'Plan of Ada' },
    };
    expect(protectedData(data)).toEqual({
      id: 'act_1',
      featureType: 'comment',
      actionType: 'comment.add',
      actionUser: { userId: 'u1' },
      targetEntityId: 'c1',
      entityData: { commentId: 'c1', mentions: [{ userId: 'u2' }], pinned: true },
      notifyUsers: {},
      notifyUsersByUserId: { u2: { userId: 'u2' } },
      emailRecipients: [{ userId: 'u2' }],
      timestamp: 5,
      startedAt: '2026-11-21T10:00:00.000Z',
      userIds: ['u1', 'u2'],
      emailIds: [],
      metadata: { organizationId: 'acme', documentId: 'plan' },
    });
  });

  it('keeps members named like those of Object.prototype', () => {
    const data: unknown = JSON.parse('{"__proto__":{"userId":"u1"},"constructor":{"id":"c"}}');
    expect(JSON.stringify(protectedData(data))).toBe(
      '{"__proto__":{"userId":"u1"},"constructor":{"id":"c"}}',
    );
  });
});

describe('the signature of a webhook', () => {
  const body = plainBody(message, plain);
  const at = Date.now();

  it('is verified by the Standard Webhooks and Svix packages', () => {
    const secret = newSecret();
    const headers = signatureHeaders({ webhookId: 'evt_1', at, body }, [secret]);
    expect(new StandardWebhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new SvixWebhook(secret).verify(body, headers)).not.toThrow();
    expect(() => new StandardWebhook(newSecret()).verify(body, headers)).toThrow();
    expect(() => new StandardWebhook(secret).verify(`${body} `, headers)).toThrow();
  });

  it('is present for each valid secret, so that receivers can verify it during a rotation', () => {
    const [now, before] = [newSecret(), newSecret()];
    const headers = signatureHeaders({ webhookId: 'evt_1', at, body }, [now, before]);
    expect(headers['webhook-signature']).toMatch(/^v1,[\w+/]{43}= v1,[\w+/]{43}=$/);
    for (const secret of [now, before]) {
      expect(() => new StandardWebhook(secret).verify(body, headers)).not.toThrow();
    }
  });
});

/** Decrypts like a receiver with the Web Crypto API, which shares no code with the encryption. */
async function decrypted(body: string, privateKey: KeyObject): Promise<string> {
  const sealed = JSON.parse(body) as { encryptedData: string; encryptedKey: string; iv: string };
  const bytes = (text: string) => Buffer.from(text, 'base64');
  const { subtle } = webcrypto;
  const unwrapping = await subtle.importKey(
    'pkcs8',
    privateKey.export({ type: 'pkcs8', format: 'der' }),
    { name: 'RSA-OAEP', hash: 'SHA-256' },
    false,
    ['decrypt'],
  );
  const raw = await subtle.decrypt({ name: 'RSA-OAEP' }, unwrapping, bytes(sealed.encryptedKey));
  const key = await subtle.importKey('raw', raw, 'AES-CBC', false, ['decrypt']);
  const data = await subtle.decrypt(
    { name: 'AES-CBC', iv: bytes(sealed.iv) },
    key,
    bytes(sealed.encryptedData),
  );
  return Buffer.from(data).toString('utf8');
}
