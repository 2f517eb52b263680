import { createHmac } from 'node:crypto';

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

/** Headers of Standard Webhooks: one signature for each secret in force, `whsec_` and base64. */
export function signatureHeaders({ webhookId, at, body }: SignedBody, secrets: readonly string[]) {
  const known = identifyingHeaders({ webhookId, at });
  const signed = `${webhookId}.${known['webhook-timestamp']}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
  return { ...known, 'webhook-signature': signatures.join(' ') };
}
