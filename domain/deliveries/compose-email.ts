import type { KeyObject } from 'node:crypto';
import { required } from '../../platform/process/required.ts';
import type { Email, Mailbox } from '../../platform/senders/email.ts';
import { oneLine, maxLengths, senderName } from '../notices/messages/clean-text.ts';
import { mailAddress } from '../notices/messages/address.ts';
import { contentOf, type Content, type ContentSettings } from '../notices/messages/content.ts';
import { emailHeaders, messageIdOf } from '../notices/messages/email-headers.ts';
import { fitted } from '../notices/messages/fit-email.ts';
import {
  renderDigest,
  renderSingle,
  type DigestGroup,
  type Rendered,
} from '../notices/messages/render-email.ts';
import type { ReadMessage } from './read-messages.ts';

/** Settings of a key that its e-mails show. */
export interface EmailSettings extends ContentSettings {
  /** The sender's address. */
  readonly from: string;
  readonly fromCompany: string;
  /** Empty when the key has none. */
  readonly replyTo: string;
}

/** One e-mail before it is composed. */
export interface EmailRequest {
  readonly deliveryId: string;
  readonly to: string;
  /** Surrogate key of the API key. */
  readonly tenantId: string;
  /** Oldest first, at least one. */
  readonly messages: readonly ReadMessage[];
  /** Secret from which the names of threads and lists are derived. */
  readonly secret: KeyObject;
  readonly unsubscribeUrl: string | undefined;
}

/** Composes the same message on every attempt unless the notification, the comment or the settings change. */
export function composeEmail(settings: EmailSettings, request: EmailRequest): Email {
  const { deliveryId, to, messages, unsubscribeUrl } = request;
  const first = required(messages[0], 'notices of a delivery');
  const isSingle = messages.length === 1;
  const domain = settings.from.slice(settings.from.lastIndexOf('@') + 1);
  const headers = emailHeaders({
    deliveryId,
    reason: first.why,
    domain,
    secret: request.secret,
    apiKeyId: request.tenantId,
    organizationId: first.organization,
    threadId: isSingle ? (first.thread ?? undefined) : undefined,
    unsubscribeUrl,
  });
  return {
    messageId: messageIdOf({ deliveryId, domain }),
    from: mailboxOf(settings, isSingle ? first.notice.actorName : ''),
    to,
    replyTo: mailAddress(settings.replyTo)?.address ?? '',
    ...rendered(settings, messages, unsubscribeUrl),
    headers,
  };
}

/** Returns `<actor> via <company>`, or one of them, cut to 64 characters. */
function mailboxOf({ from, fromCompany }: EmailSettings, actor: string): Mailbox {
  const names = [senderName(actor), oneLine(fromCompany, maxLengths.name)].filter((name) => name !== '');
  return { name: oneLine(names.join(' via '), maxLengths.name), address: from };
}

function rendered(
  settings: EmailSettings,
  messages: readonly ReadMessage[],
  unsubscribeUrl: string | undefined,
): Rendered {
  const [first, ...others] = messages;
  return fitted(others.length === 0, messages.length, ({ maxText, maxItems }) => {
    if (first === undefined || others.length === 0)
      return renderSingle(contentOf((first as ReadMessage).notice, settings, maxText), unsubscribeUrl);
    const groups = groupsOf(settings, messages.slice(0, maxItems), maxText);
    return renderDigest(groups, titleOf(messages), unsubscribeUrl, messages.length - maxItems);
  });
}

/** Returns the document's name, or the organization's when the messages belong to several documents. */
export function titleOf(messages: readonly ReadMessage[]): string {
  const [first] = messages;
  const isOfOne = messages.every(({ document }) => document === first?.document);
  return (isOfOne ? first?.notice.documentName : first?.organizationName) ?? '';
}

/** Groups notices by document, then by thread. Each group is in the order of its first notice. */
function groupsOf(settings: EmailSettings, messages: readonly ReadMessage[], maxText: number): DigestGroup[] {
  return [...Map.groupBy(messages, ({ document }) => document).values()].map((inDocument) => ({
    documentName: oneLine(inDocument[0]?.notice.documentName ?? '', maxLengths.documentName),
    threads: [...Map.groupBy(inDocument, ({ thread, id }) => thread ?? `notice ${id}`).values()].map(
      (thread) => thread.map(({ notice }): Content => contentOf(notice, settings, maxText)),
    ),
  }));
}
