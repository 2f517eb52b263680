import { createCipheriv, randomBytes } from 'node:crypto';
import { isUsableKey, rsaPublicKey, wrappedBy } from '../../configuration/rsa-public-key.ts';
import { heldWithoutKey, heldWithUnusableKey } from './message.ts';
import { protectedData } from './protected-data.ts';

/** Body options of the key's webhook configuration. */
export interface PayloadOptions {
  readonly encodeData: boolean;
  readonly encryptData: boolean;
  readonly enableDataProtection: boolean;
  /** Base64 DER or PEM; empty when not set. */
  readonly publicKey: string;
}

/** An event for one endpoint. */
export interface Message {
  /** `webhook-id`: the event's public id, the same for all attempts and endpoints. */
  readonly webhookId: string;
  readonly type: string;
  /** The event's feature, or `system`. */
  readonly source: string;
  /** Gapless number per endpoint; null for a test. */
  readonly sequence: number | null;
  readonly channels: readonly string[];
  /** JSON text of the event. */
  readonly data: string;
  /** Event time, in milliseconds. */
  readonly at: number;
  /** W3C trace context of the call that recorded the event; absent or null where tracing was off. */
  readonly traceparent?: string | null;
}

const bodyVersion = 1;

/** Returns the JSON text of a body before encoding and encryption; `data` is inserted as recorded. */
export function plainBody(message: Message, { enableDataProtection }: PayloadOptions): string {
  const { type, source, webhookId, sequence } = message;
  const head = JSON.stringify({
    event: type,
    actionType: type,
    source,
    webhookId,
    version: bodyVersion,
    sequence,
  });
  return `${head.slice(0, -1)},"data":${dataOf(message, enableDataProtection)}}`;
}

/** Returns the `featureType` of an event's JSON, with which activity logs begin. Events of comment threads have none. */
export function featureTypeOf(type: string, data: string): string {
  const first = /^\{"featureType":"([a-z]+)"/.exec(data)?.[1];
  if (first !== undefined) return first;
  if (isOfComments(type)) return 'comment';
  const body = JSON.parse(data) as { readonly featureType?: unknown } | null;
  return typeof body?.featureType === 'string' ? body.featureType : 'system';
}

/** Whether an event is of a comment annotation, a comment or a reaction. */
const isOfComments = (type: string): boolean =>
  type.startsWith('comment.') || type.startsWith('comment_annotation.');

/** Returns the event data for receivers. */
export function dataOf({ data }: Message, enableDataProtection: boolean): string {
  return enableDataProtection ? JSON.stringify(protectedData(JSON.parse(data))) : data;
}

/** Returns why messages are held: encryption is on without a usable public key. Undefined when they are sent. */
export function holdReason({ encryptData, publicKey }: PayloadOptions): string | undefined {
  if (!encryptData) return undefined;
  if (publicKey === '') return heldWithoutKey;
  return isUsableKey(publicKey) ? undefined : heldWithUnusableKey;
}

/** Whether messages are sent: webhooks are on, and nothing holds the messages. */
export const areSent = (isOn: boolean, options: PayloadOptions): boolean =>
  isOn && holdReason(options) === undefined;

/** Returns the body to sign and send. Encryption takes precedence over encoding. */
export function finalBody(plain: string, options: PayloadOptions): string {
  if (options.encryptData) return JSON.stringify(encrypted(plain, options.publicKey));
  if (options.encodeData) return JSON.stringify({ encodedPayload: Buffer.from(plain).toString('base64') });
  return plain;
}

/** Encrypts with AES-256-CBC and a random key per message, wrapped by RSA-OAEP with SHA-256; all base64. */
function encrypted(plain: string, publicKey: string) {
  const wrapping = rsaPublicKey(publicKey);
  if (wrapping === undefined) throw new Error('stored webhook public key is not a usable RSA key');
  const key = randomBytes(32);
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  const data = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  const wrapped = wrappedBy(wrapping, key);
  return {
    encryptedData: data.toString('base64'),
    encryptedKey: wrapped.toString('base64'),
    iv: iv.toString('base64'),
  };
}
