import { createHmac, type KeyObject } from 'node:crypto';

/** Reasons why a user receives a message. */
const messageReasons = ['mention', 'assigned', 'thread', 'member', 'named'] as const;
export type MessageReason = (typeof messageReasons)[number];

/** Input of the headers of an e-mail. */
export interface HeaderContext {
  readonly deliveryId: string;
  readonly reason: MessageReason;
  /** Domain of the sender's address. */
  readonly domain: string;
  /** Derives names of threads and lists, so that they reveal no ids. */
  readonly secret: KeyObject;
  readonly apiKeyId: string;
  /** Surrogate keys. `threadId`: thread of the comments in a message with one notice. */
  readonly organizationId: string;
  readonly threadId: string | undefined;
  readonly unsubscribeUrl: string | undefined;
}

/** Returns the same id on every attempt, so that a receiver recognizes a repeated message. */
export const messageIdOf = ({ deliveryId, domain }: Pick<HeaderContext, 'deliveryId' | 'domain'>): string =>
  `<${deliveryId}@${domain}>`;

/**
 * Returns the headers that do not depend on the content. Messages of one thread refer to the id of a message that is
 * never sent.
 */
export function emailHeaders(context: HeaderContext): Readonly<Record<string, string>> {
  const { deliveryId, reason, domain, apiKeyId, organizationId, threadId, unsubscribeUrl } = context;
  const thread =
    threadId === undefined
      ? undefined
      : `<thread.${nameOf(context, 'thread', apiKeyId, threadId)}@${domain}>`;
  return {
    'List-Id': `<${nameOf(context, 'list', apiKeyId, organizationId)}.${domain}>`,
    'Auto-Submitted': 'auto-generated',
    'X-Auto-Response-Suppress': 'All',
    'X-Steward-Delivery': deliveryId,
    'X-Steward-Reason': reason,
    ...(thread !== undefined && { 'In-Reply-To': thread, References: thread }),
    ...(unsubscribeUrl !== undefined && {
      'List-Unsubscribe': `<${unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    }),
  };
}

const nameOf = ({ secret }: HeaderContext, ...parts: readonly string[]): string =>
  createHmac('sha256', secret).update(parts.join('\0')).digest('hex').slice(0, 32);
