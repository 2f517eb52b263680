import { randomToken } from '../../platform/encryption/tokens.ts';
import { within } from '../../platform/process/within.ts';
import type { Email } from '../../platform/senders/email.ts';
import type { SendVerdict } from '../../platform/senders/verdict.ts';
import type { EmailChannel, SlackChannel } from '../notices/channel-settings.ts';
import type { StoredAttempt } from '../notices/attempt.ts';
import { mailAddress } from '../notices/messages/address.ts';
import { maxLengths, oneLine } from '../notices/messages/clean-text.ts';
import type { Content } from '../notices/messages/content.ts';
import { renderSingle } from '../notices/messages/render-email.ts';
import { slackSingle } from '../notices/messages/render-slack.ts';
import type { Senders } from './senders.ts';

/** The outcome of a test message. `code`: from the provider, or why the channel is held. */
export interface TestAttempt {
  readonly outcome: StoredAttempt['outcome'];
  readonly code: string;
  readonly durationMs: number;
}

export interface TestedEmail {
  /** With its angle brackets, or SendGrid's id. */
  readonly messageId: string;
  /** Empty when the settings name no sender. */
  readonly from: string;
  readonly attempt: TestAttempt;
}

const outcomes = {
  accepted: 'accepted',
  refused: 'refused',
  unknown: 'unknown',
  failed: 'failed',
  paused: 'failed',
  held: 'failed',
} as const satisfies Readonly<Record<SendVerdict['result'], TestAttempt['outcome']>>;

const notSent = (code: string): TestAttempt => ({ outcome: 'failed', code, durationMs: 0 });

/** Max milliseconds that a caller waits for the provider. */
const limitMs = 30_000;

/** Measures an attempt. An attempt that exceeds the limit is `unknown`, because it may still succeed. */
async function attempted(
  send: () => Promise<SendVerdict>,
): Promise<{ readonly attempt: TestAttempt; readonly verdict: SendVerdict }> {
  const started = performance.now();
  const late = { result: 'unknown', code: 'ETIMEDOUT' } as const;
  const verdict = await within(send(), limitMs, late);
  const durationMs = Math.round(performance.now() - started);
  return { verdict, attempt: { outcome: outcomes[verdict.result], code: verdict.code, durationMs } };
}

const sampleOf = (subject: string): Content => ({
  subject,
  headline: subject,
  text: 'Notifications of this API key are delivered.',
  link: undefined,
  documentName: '',
  actorName: '',
  at: Date.now(),
});

/** Sends a sample with the present settings, even while the service is off. `to` receives it even if it is suppressed. */
export async function sendTestEmail(
  senders: Senders,
  tenantId: string,
  channel: EmailChannel,
  to: string,
  isPaused: boolean,
): Promise<TestedEmail> {
  const { config, from, missing } = channel;
  const { type, apiKey, fromCompany, replyTo } = config.emailServiceConfig;
  const deliveryId = randomToken('dlv');
  const messageId = `<${deliveryId}@${from?.domain ?? 'localhost'}>`;
  const reader = mailAddress(to);
  const blocked = isPaused ? 'paused' : missing;
  if (blocked !== undefined || from === undefined || reader === undefined) {
    const code = blocked ?? (from === undefined ? 'from-missing' : 'address-unsupported');
    return { messageId, from: from?.address ?? '', attempt: notSent(code) };
  }
  const email: Email = {
    messageId,
    from: { name: oneLine(fromCompany, maxLengths.name), address: from.address },
    to: reader.address,
    replyTo: mailAddress(replyTo)?.address ?? '',
    ...renderSingle(sampleOf('Test e-mail from Steward'), undefined),
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  };
  const { smtp, sendGrid } = senders;
  const { attempt, verdict } = await attempted(async () => {
    if (type === 'sendgrid') return sendGrid.send({ apiKey, deliveryId, email });
    return (
      smtp?.send(tenantId, email) ?? { result: 'held', code: 'smtp-not-configured', reason: 'unreachable' }
    );
  });
  const reference = verdict.result === 'accepted' ? verdict.reference : null;
  return { messageId: reference ?? messageId, from: from.address, attempt };
}

/** The recipient of a Slack message: the account in the user's metadata, else the account of the e-mail address. */
export interface SlackReader {
  readonly slackUserId: string | undefined;
  readonly email: string;
}

/** Sends a sample with the present settings, even while the service is off. */
export async function sendTestSlackMessage(
  { slack }: Senders,
  channel: SlackChannel,
  { slackUserId, email }: SlackReader,
  isPaused: boolean,
): Promise<TestAttempt> {
  if (isPaused) return notSent('paused');
  if (channel.missing !== undefined) return notSent(channel.missing);
  const { botToken } = channel.config.slackServiceConfig;
  if (slackUserId === undefined && email === '') return notSent('no-address');
  const { attempt } = await attempted(async () => {
    const limit = AbortSignal.timeout(limitMs);
    const found =
      slackUserId === undefined ? await slack.findAccount(botToken, email, limit) : { slackId: slackUserId };
    if ('result' in found) return found;
    const account = found.slackId;
    if (account === null) return { result: 'failed', code: 'no-address' };
    const texts = slackSingle(sampleOf('Test message from Steward'));
    return slack.send(botToken, { deliveryId: randomToken('dlv'), account, ...texts }, limit);
  });
  return attempt;
}
