import type { Messaging } from '../../platform/config/messaging.ts';
import type { EmailConfiguration } from '../configuration/kinds/email.ts';
import { mailAddress, type MailAddress } from './messages/address.ts';

/**
 * Returns the sender of a key's e-mails; undefined when it has none. A key sends through the deployment's mail server
 * from its own address only if the domain is listed for all keys or its workspace. Else it sends from the deployment's
 * address.
 */
export function senderAddress(
  { type, fromEmail }: Pick<EmailConfiguration['emailServiceConfig'], 'type' | 'fromEmail'>,
  workspaceId: string,
  { from, fromDomains }: Pick<Messaging, 'from' | 'fromDomains'>,
): MailAddress | undefined {
  const own = mailAddress(fromEmail);
  if (type === 'sendgrid') return own;
  const isListed = fromDomains.some(
    (listed) => listed.domain === own?.domain && [undefined, workspaceId].includes(listed.workspaceId),
  );
  return isListed ? own : mailAddress(from ?? '');
}
