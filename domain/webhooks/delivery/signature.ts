import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

const prefix = 'whsec_';

export interface SignedBody {
  readonly webhookId: string;
  /** Of this attempt, in milliseconds. */
  readonly at: number;
  /** As it is sent. */
  readonly body: string;
}

/** The headers by which every webhook is known, signed or not. */
export const identifyingHeaders = ({ webhookId, at }: Omit<SignedBody, 'body'>) => ({
  'webhook-id': webhookId,
  'webhook-timestamp': String(Math.floor(at / 1_000)),
});

/** Made once for a list of secrets: to make a key takes longer than to sign. */
const keysOf = new WeakMap<readonly string[], readonly KeyObject[]>();

function signingKeys(secrets: readonly string[]): readonly KeyObject[] {
  const known = keysOf.get(secrets);
  if (known !== undefined) return known;
  const keys = secrets.map((secret) => createSecretKey(secret.slice(prefix.length), 'base64'));
  keysOf.set(secrets, keys);
  return keys;
}

/** Headers of Standard Webhooks: one signature for each secret in force, `whsec_` and base64. */
export function signatureHeaders({ webhookId, at, body }: SignedBody, secrets: readonly string[]) {
  const known = identifyingHeaders({ webhookId, at });
  const signed = `${webhookId}.${known['webhook-timestamp']}.${body}`;
  const signatures = signingKeys(secrets).map(
    (key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
  );
  return { ...known, 'webhook-signature': signatures.join(' ') };
}
