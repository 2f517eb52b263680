import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

const prefix = 'whsec_';

export interface SignedBody {
  readonly webhookId: string;
  /** Start of this attempt, in milliseconds. */
  readonly at: number;
  /** The final body, as sent. */
  readonly body: string;
}

/** Headers of every webhook, signed or not. */
export const identifyingHeaders = ({ webhookId, at }: Omit<SignedBody, 'body'>) => ({
  'webhook-id': webhookId,
  'webhook-timestamp': String(Math.floor(at / 1_000)),
});

/** Cached per list of secrets: creating a key takes longer than signing. */
const keysOf = new WeakMap<readonly string[], readonly KeyObject[]>();

function signingKeys(secrets: readonly string[]): readonly KeyObject[] {
  const known = keysOf.get(secrets);
  if (known !== undefined) return known;
  const keys = secrets.map((secret) => createSecretKey(secret.slice(prefix.length), 'base64'));
  keysOf.set(secrets, keys);
  return keys;
}

/** Standard Webhooks headers: one signature per valid secret (`whsec_` and base64). */
export function signatureHeaders({ webhookId, at, body }: SignedBody, secrets: readonly string[]) {
  const known = identifyingHeaders({ webhookId, at });
  const signed = `${webhookId}.${known['webhook-timestamp']}.${body}`;
  const signatures = signingKeys(secrets).map(
    (key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
  );
  return { ...known, 'webhook-signature': signatures.join(' ') };
}
