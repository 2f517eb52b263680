import { createSecretKey } from 'node:crypto';
import type { Email } from '../../../platform/senders/email.ts';
import { composeEmail, type EmailSettings } from '../../../domain/deliveries/compose-email.ts';
import type { ReadMessage } from '../../../domain/deliveries/read-messages.ts';
import type { Notice } from '../../../domain/notices/messages/content.ts';

const settings: EmailSettings = {
  from: 'notifications@acme.example',
  fromCompany: 'Acme',
  replyTo: 'support@acme.example',
  includeContent: true,
  linkTemplate: 'https://app.acme.example/{organizationId}/{documentId}?comment={commentId}',
};

/** A notice about a comment in the document `Launch plan`. */
export function aMessage(
  notice: Partial<Notice> = {},
  members: Partial<Omit<ReadMessage, 'notice'>> = {},
): ReadMessage {
  return {
    id: '1',
    why: 'mention',
    organization: '1',
    organizationName: 'Acme',
    document: '1',
    thread: '1',
    ...members,
    notice: {
      ids: {
        organizationId: 'acme',
        documentId: 'plan',
        notificationId: 'n1',
        annotationId: 't1',
        commentId: '1',
      },
      documentName: 'Launch plan',
      comment: { annotationCreator: 'Grace' },
      actorName: 'Ada',
      headline: 'Ada commented',
      headlineIsOurs: true,
      text: 'Is this the latest plan?\nThe dates in the table are from May.',
      textsHeldElsewhere: false,
      at: Date.UTC(2026, 0, 2, 3, 4),
      ...notice,
    },
  };
}

/** Composes the e-mail of notices. `deliveryId` is part of the Message-ID. */
export const anEmail = (
  messages: readonly ReadMessage[],
  changes: Partial<EmailSettings> = {},
  deliveryId = 'dlv_1',
): Email =>
  composeEmail(
    { ...settings, ...changes },
    {
      deliveryId,
      to: 'reader@example.com',
      tenantId: '1',
      messages,
      secret: createSecretKey(Buffer.alloc(32, 7)),
      unsubscribeUrl: 'https://steward.example.com/unsubscribe/token',
    },
  );

const unbroken = 'x'.repeat(400);

/** One e-mail of each kind, and e-mails that could overflow a narrow page. */
export const sampleEmails: Readonly<Record<string, Email>> = {
  single: anEmail([aMessage()]),
  digest: anEmail([
    aMessage(),
    aMessage(
      { actorName: 'Grace', headline: 'Grace commented', text: 'They are. I will update them.' },
      { id: '2' },
    ),
    aMessage(
      { documentName: 'Budget', actorName: 'Lin', headline: 'Lin assigned Ben', text: '' },
      { id: '3', document: '2', thread: '2' },
    ),
  ]),
  'without-content': anEmail([aMessage()], { includeContent: false, linkTemplate: '' }),
  unbroken: anEmail([
    aMessage({ actorName: unbroken, documentName: unbroken, headline: unbroken, text: unbroken }),
    aMessage({ text: `<b>&"'</b>\n${unbroken}` }, { id: '2', thread: null }),
  ]),
};
