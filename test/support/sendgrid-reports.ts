import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/** A key pair of SendGrid's signed event webhook. `publicKey` has the format that SendGrid shows. */
export function aReportKey(): { readonly publicKey: string; readonly privateKey: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return { publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'), privateKey };
}

interface Signing {
  readonly privateKey: KeyObject;
  /** Seconds since the epoch. */
  readonly timestamp?: number;
}

/** Returns the headers by which SendGrid signs a body. */
export function signedHeaders(
  body: string | Buffer,
  { privateKey, timestamp = Math.floor(Date.now() / 1_000) }: Signing,
): Record<string, string> {
  const signed = Buffer.concat([Buffer.from(String(timestamp)), Buffer.from(body)]);
  return {
    'content-type': 'application/json',
    'x-twilio-email-event-webhook-timestamp': String(timestamp),
    'x-twilio-email-event-webhook-signature': sign('sha256', signed, privateKey).toString('base64'),
  };
}
