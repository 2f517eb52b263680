import type { Messaging } from '../../platform/config/messaging.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import type { Email } from '../../platform/senders/email.ts';
import type { TemplateContent } from '../../platform/senders/sendgrid-sender.ts';
import type { SendVerdict } from '../../platform/senders/verdict.ts';
import type { EmailConfiguration } from '../configuration/kinds/email.ts';
import { readEmailChannel } from '../notices/channel-settings.ts';
import { mailAddress } from '../notices/messages/address.ts';
import type { HeldReason } from '../notices/statuses.ts';
import { unsubscribeUrl } from '../signing/unsubscribe-tokens.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { composeEmail } from './compose-email.ts';
import type { MessageSecrets } from './message-secrets.ts';
import type { ChannelTransport } from './transport.ts';
import type { ReadMessage } from './read-messages.ts';
import type { Senders } from './senders.ts';
import { readTemplateData } from './template-data.ts';

export interface EmailTransportOptions {
  readonly keyRing: KeyRing;
  readonly senders: Senders;
  readonly messaging: Messaging;
  readonly messageSecrets: () => Promise<MessageSecrets>;
}

export async function openEmailTransport(
  em: EntityManager,
  { keyRing, senders, messaging, messageSecrets }: EmailTransportOptions,
  tenant: Tenant,
): Promise<ChannelTransport | { readonly held: HeldReason }> {
  const { id: tenantId } = tenant;
  const channel = await readEmailChannel(em, keyRing, tenantId, messaging);
  const config = channel.config.emailServiceConfig;
  if (channel.missing !== undefined) return { held: channel.missing };
  if (channel.from === undefined) return { held: 'from-missing' };
  const from = channel.from.address;
  const { names, unsubscribe } = await messageSecrets();
  const { smtp, sendGrid } = senders;
  const bySendGrid = config.type === 'sendgrid';
  const send = async (deliveryId: string, email: Email, template?: TemplateContent): Promise<SendVerdict> =>
    bySendGrid
      ? sendGrid.send({ apiKey: config.apiKey, deliveryId, email, template })
      : (smtp?.send(tenantId, email) ?? { result: 'held', code: 'none', reason: 'unreachable' });
  const templateIn = (messages: readonly ReadMessage[]): string => {
    const [message] = messages;
    return bySendGrid && message !== undefined && messages.length === 1 ? templateIdOf(config, message) : '';
  };
  const urlOf = (messages: readonly ReadMessage[], user: string): string | undefined => {
    const [first] = messages;
    if (first === undefined || messaging.publicUrl === undefined) return undefined;
    const document = messages.every((one) => one.document === first.document) ? first.document : undefined;
    const subject = { apiKeyId: tenantId, organization: first.organization, user, document };
    return unsubscribeUrl(messaging.publicUrl, unsubscribe, subject);
  };
  return {
    connections: bySendGrid ? senders.connections.sendGrid : senders.connections.smtp,
    async prepare(em, deliveries) {
      const templated = deliveries.filter((messages) => templateIn(messages) !== '').flat();
      const data = await readTemplateData(em, { tenant, settings: config, from }, templated);
      const templateOf = (
        messages: readonly ReadMessage[],
        unsubscribeUrl = '',
      ): TemplateContent | undefined => {
        const templateId = templateIn(messages);
        const [message] = messages;
        const json = message && data.get(message.id);
        if (templateId === '' || json === undefined) return undefined;
        return { templateId, data: { ...(JSON.parse(json) as TemplateContent['data']), unsubscribeUrl } };
      };
      return async ({ public_id: deliveryId, user }, messages, notices) => {
        const address = mailAddress(notices[0]?.email ?? '');
        if (address === undefined) return { skipped: 'no-address' };
        const to = address.address;
        if (messages.length === 0) return { skipped: 'notification-gone' };
        const unsubscribeUrl = urlOf(messages, user);
        const request = { deliveryId, to, tenantId, messages, secret: names, unsubscribeUrl };
        const email = composeEmail({ ...config, from }, request);
        const verdict = await send(deliveryId, email, templateOf(messages, unsubscribeUrl));
        const isUnknown = verdict.result === 'refused' && verdict.addressUnknown;
        const provider = bySendGrid ? 'sendgrid' : 'smtp';
        return { verdict, provider, unknownAddress: isUnknown ? to : null };
      };
    },
  };
}

/** Returns the template of a message about a comment; empty when the key has none. */
function templateIdOf(
  { tagTemplateId, commentTemplateId }: EmailConfiguration['emailServiceConfig'],
  { thread, why }: ReadMessage,
): string {
  if (thread === null) return '';
  return why === 'mention' && tagTemplateId !== '' ? tagTemplateId : commentTemplateId;
}
