import { fileURLToPath } from 'node:url';
import type { Messaging } from '../../platform/config/messaging.ts';
import { lazily } from '../../platform/process/single-flight.ts';
import { ProviderConnections } from '../../platform/senders/provider-connections.ts';
import { sendGridSender, type SendGridSender } from '../../platform/senders/sendgrid-sender.ts';
import { slackSender, type SlackSender } from '../../platform/senders/slack-sender.ts';
import type { EmailSender } from '../../platform/senders/smtp-sender.ts';

/** Senders of a process. */
export interface Senders {
  /** Undefined when the deployment has no mail server. */
  readonly smtp: EmailSender | undefined;
  readonly sendGrid: SendGridSender;
  readonly slack: SlackSender;
  /** How keys share the connections to each of them. */
  readonly connections: Readonly<Record<'smtp' | 'sendGrid' | 'slack', ProviderConnections>>;
  readonly close: () => Promise<void>;
}

/**
 * Creates the senders, which connect with their first message. `onFile`: receives the path of each mail that is written
 * to a file.
 */
export function openSenders(
  { mailServer, sendGridUrl, slackUrl }: Messaging,
  onFile: (path: string) => void,
): Senders {
  const smtp =
    mailServer === undefined ? undefined : loadedAtFirstUse(async () => emailSender(mailServer, onFile));
  const sendGrid = sendGridSender(sendGridUrl);
  const slack = slackSender(slackUrl);
  return {
    smtp,
    sendGrid,
    slack,
    connections: {
      smtp: new ProviderConnections(),
      sendGrid: new ProviderConnections(),
      slack: new ProviderConnections(),
    },
    close: async () => {
      smtp?.close();
      await Promise.all([sendGrid.close(), slack.close()]);
    },
  };
}

async function emailSender(mailServer: string, onFile: (path: string) => void): Promise<EmailSender> {
  if (!mailServer.startsWith('file:')) {
    const { smtpSender } = await import('../../platform/senders/smtp-sender.ts');
    return smtpSender(mailServer);
  }
  const { mailFiles } = await import('../../platform/senders/mail-files.ts');
  return mailFiles(fileURLToPath(mailServer), onFile);
}

/** Loads a sender with its first message, because most API processes send none. */
function loadedAtFirstUse(load: () => Promise<EmailSender>): EmailSender {
  let sender: EmailSender | undefined;
  const loaded = lazily(async () => (sender = await load()));
  return {
    send: async (key, email) => (await loaded()).send(key, email),
    close: () => sender?.close(),
  };
}
