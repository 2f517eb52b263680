import { createCipheriv, constants, publicEncrypt, randomBytes } from 'node:crypto';
import { rsaPublicKey } from '../../configuration/rsa-public-key.ts';
import { protectedData } from './protected-data.ts';

/** How the owner of the key wants bodies. */
export interface PayloadOptions {
  readonly encodeData: boolean;
  readonly encryptData: boolean;
  readonly enableDataProtection: boolean;
  /** Base64 of DER, or PEM; empty when there is none. */
  readonly publicKey: string;
}

/** An event on its way to one endpoint. */
export interface Message {
  /** `webhook-id`: the event's public id, the same over all attempts and for all endpoints. */
  readonly webhookId: string;
  readonly type: string;
  /** The feature that it comes from; `system` where there is none. */
  readonly source: string;
  /** Counts the messages of an endpoint without a gap; null for a test. */
  readonly sequence: number | null;
  readonly channels: readonly string[];
  /** The JSON text of what happened. */
  readonly data: string;
  /** When it happened, in milliseconds. */
  readonly at: number;
}

const bodyVersion = 1;

/** The JSON text of a body before it is encoded or encrypted; `data` is written as it was recorded. */
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

/** The feature that an event comes from, of its JSON. Activity logs begin with it: these need not be read whole. */
export function sourceOf(data: string): string {
  const first = /^\{"featureType":"([a-z]+)"/.exec(data)?.[1];
  if (first !== undefined) return first;
  const told = JSON.parse(data) as { readonly featureType?: unknown } | null;
  return typeof told?.featureType === 'string' ? told.featureType : 'system';
}

/** What happened, as receivers may see it. */
export function dataOf({ data }: Message, enableDataProtection: boolean): string {
  return enableDataProtection ? JSON.stringify(protectedData(JSON.parse(data))) : data;
}

/** Nothing may be sent: the body would have to be in plain. */
export const isHeld = ({ encryptData, publicKey }: PayloadOptions): boolean =>
  encryptData && publicKey === '';

/** The body as it is signed and sent. Encrypted wins over encoded. */
export function finalBody(plain: string, options: PayloadOptions): string {
  if (options.encryptData) return JSON.stringify(encrypted(plain, options.publicKey));
  if (options.encodeData) return JSON.stringify({ encodedPayload: Buffer.from(plain).toString('base64') });
  return plain;
}

/** AES-256-CBC under a key of its own, which is wrapped by RSA-OAEP with SHA-256; all base64. */
function encrypted(plain: string, publicKey: string) {
  const wrapping = rsaPublicKey(publicKey);
  if (wrapping === undefined) throw new Error('The public key of a webhook cannot encrypt.');
  const key = randomBytes(32);
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  const data = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  const wrapped = publicEncrypt(
    { key: wrapping, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
    key,
  );
  return {
    encryptedData: data.toString('base64'),
    encryptedKey: wrapped.toString('base64'),
    iv: iv.toString('base64'),
  };
}
