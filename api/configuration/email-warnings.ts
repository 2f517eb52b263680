import type { EmailChannel } from '../../domain/notices/channel-settings.ts';
import type { Messaging } from '../../platform/config/messaging.ts';

/** Returns warnings about the e-mails of a key; none for a key with its own sender. */
export function emailWarnings(
  { config: { emailServiceConfig: settings }, fromIsReplaced }: EmailChannel,
  { publicUrl }: Messaging,
): readonly string[] {
  if (settings.type === 'custom') return [];
  return [
    ...(fromIsReplaced
      ? [
          'E-mails are sent from the address of the deployment: fromEmail is not in a domain that is listed for this workspace.',
        ]
      : []),
    ...(publicUrl === undefined
      ? ['E-mails have no unsubscribe link: the deployment has no public https URL (STEWARD_PUBLIC_URL).']
      : []),
  ];
}

/** The URL for SendGrid's reports. */
export const eventUrlOf = (
  { config: { emailServiceConfig, hookId } }: EmailChannel,
  { publicUrl }: Messaging,
): string | null =>
  publicUrl === undefined || emailServiceConfig.type !== 'sendgrid' || hookId === ''
    ? null
    : `${publicUrl}/email/events/${hookId}`;
