import type { Messaging } from '../../platform/config/messaging.ts';
import type { EntityManager, Orm } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import type { Email } from '../../platform/senders/email.ts';
import type { TemplateContent } from '../../platform/senders/sendgrid-sender.ts';
import type { Verdict } from '../../platform/senders/verdict.ts';
import type { EmailConfiguration } from '../configuration/kinds/email.ts';
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
import { templateData } from './template-data.ts';

export interface EmailOutboxOptions {
  readonly orm: Orm;
  readonly keyRing: KeyRing;
  readonly senders: Senders;
  readonly messaging: Messaging;
}

/** Attempts of one key at once; the SMTP sender gives a key as many connections. */
const concurrency = 5;

export async function openEmailOutbox(
  em: EntityManager,
  { orm, keyRing, senders, messaging }: EmailOutboxOptions,
  tenant: Tenant,
): Promise<Outbox | { readonly held: HeldReason }> {
  const { id: tenantId } = tenant;
  const channel = await readEmailChannel(em, keyRing, tenantId, messaging);
  const config = channel.config.emailServiceConfig;
  if (channel.missing !== undefined) return { held: channel.missing };
  if (channel.from === undefined) return { held: 'from-missing' };
  const from = channel.from.address;
  const secret = await signingSecret(em, keyRing, 'message-names');
  const { smtp, sendGrid } = senders;
  const bySendGrid = config.type === 'sendgrid';
  const send = async (deliveryId: string, email: Email, template?: TemplateContent): Promise<Verdict> =>
    bySendGrid
      ? sendGrid.send({ apiKey: config.apiKey, deliveryId, email, template })
      : (smtp?.send(tenantId, email) ?? { result: 'held', code: 'none', reason: 'unreachable' });
  const templateOf = async (
    messages: readonly ReadMessage[],
    unsubscribeUrl: string | undefined,
  ): Promise<TemplateContent | undefined> => {
    const [message] = messages;
    if (!bySendGrid || message === undefined || messages.length > 1) return undefined;
    const templateId = templateIdOf(config, message);
    if (templateId === '') return undefined;
    const request = { tenant, settings: config, message, from, unsubscribeUrl };
    const data = await templateData(orm.em.fork(), request);
    return data && { templateId, data };
  };
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
      const unsubscribeUrl = urlOf(messages, user);
      const request = { deliveryId, to, tenantId, messages, secret, unsubscribeUrl };
      const template = await templateOf(messages, unsubscribeUrl);
      const verdict = await send(deliveryId, composeEmail({ ...config, from }, request), template);
      const isUnknown = verdict.result === 'refused' && verdict.addressUnknown;
      const provider = bySendGrid ? 'sendgrid' : 'smtp';
      return { verdict, provider, unknownAddress: isUnknown ? to : null };
    },
  };
}

/** The template of a message about a comment; empty without one. */
function templateIdOf(
  { tagTemplateId, commentTemplateId }: EmailConfiguration['emailServiceConfig'],
  { thread, why }: ReadMessage,
): string {
  if (thread === null) return '';
  return why === 'mention' && tagTemplateId !== '' ? tagTemplateId : commentTemplateId;
}
