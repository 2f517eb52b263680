import type { Configuration } from '../../platform/config/configuration.ts';
import { finding, type Finding } from './finding.ts';

/** Checks that e-mails to users can leave. */
export function checkEmail({ messaging: { mailServer, publicUrl } }: Configuration): readonly Finding[] {
  const check = 'e-mail';
  if (mailServer === undefined)
    return [finding(check, 'warning', 'STEWARD_SMTP_URL is not set: e-mails of keys without SendGrid wait.')];
  if (mailServer.startsWith('file:'))
    return [finding(check, 'ok', 'E-mails are written to files in the folder of STEWARD_SMTP_URL.')];
  return [
    publicUrl === undefined
      ? finding(check, 'warning', 'STEWARD_PUBLIC_URL is not an https URL: e-mails have no unsubscribe link.')
      : finding(check, 'ok', 'E-mails are sent by a mail server, with an unsubscribe link.'),
  ];
}
