import type { Messaging } from '../../platform/config/messaging.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import type { Email } from '../../platform/senders/email.ts';
import type { Verdict } from '../../platform/senders/verdict.ts';
import { readEmailChannel } from '../notices/channel-settings.ts';
import { mailAddress } from '../notices/messages/address.ts';
import type { HeldReason } from '../notices/statuses.ts';
import { signingSecret } from '../signing/signing-secret.ts';
import { currentUnsubscribeKey, unsubscribeUrl } from '../signing/unsubscribe-tokens.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { composeEmail } from './compose-email.ts';
import type { Outbox } from './outbox.ts';
import type { ReadMessage } from './read-messages.ts';
import type { Senders } from './senders.ts';

export interface EmailOutboxOptions {
  readonly keyRing: KeyRing;
  readonly senders: Senders;
  readonly messaging: Messaging;
}

/** Attempts of one key at once; the SMTP sender gives a key as many connections. */
const concurrency = 5;

export async function openEmailOutbox(
  em: EntityManager,
  { keyRing, senders, messaging }: EmailOutboxOptions,
  { id: tenantId }: Tenant,
): Promise<Outbox | { readonly held: HeldReason }> {
  const channel = await readEmailChannel(em, keyRing, tenantId, messaging);
  const config = channel.config.emailServiceConfig;
  if (channel.missing !== undefined) return { held: channel.missing };
  if (channel.from === undefined) return { held: 'from-missing' };
  const from = channel.from.address;
  const secret = await signingSecret(em, keyRing, 'message-names');
  const { smtp, sendGrid } = senders;
  const bySendGrid = config.type === 'sendgrid';
  const send = async (deliveryId: string, email: Email): Promise<Verdict> =>
    bySendGrid
      ? sendGrid.send({ apiKey: config.apiKey, deliveryId, email })
      : (smtp?.send(tenantId, email) ?? { result: 'held', code: 'none', reason: 'unreachable' });
  const unsubscribeKey = await currentUnsubscribeKey(em, keyRing);
  const urlOf = (messages: readonly ReadMessage[], user: string): string | undefined => {
    const [first] = messages;
    if (first === undefined || messaging.publicUrl === undefined) return undefined;
    const document = messages.every((one) => one.document === first.document) ? first.document : undefined;
    const subject = { apiKeyId: tenantId, organization: first.organization, user, document };
    return unsubscribeUrl(messaging.publicUrl, unsubscribeKey, subject);
  };
  return {
    concurrency,
    async attempt({ public_id: deliveryId, user }, messages, notices) {
      const address = mailAddress(notices[0]?.email ?? '');
      if (address === undefined) return { skipped: 'no-address' };
      const to = address.address;
      if (messages.length === 0) return { skipped: 'notification-gone' };
      const request = { deliveryId, to, tenantId, messages, secret, unsubscribeUrl: urlOf(messages, user) };
      const verdict = await send(deliveryId, composeEmail({ ...config, from }, request));
      const isUnknown = verdict.result === 'refused' && verdict.addressUnknown;
      const provider = bySendGrid ? 'sendgrid' : 'smtp';
      return { verdict, provider, unknownAddress: isUnknown ? to : null };
    },
  };
}
