import type { Email } from './email.ts';
import { connectProvider, waitOf, type ProviderResponse } from './provider-request.ts';
import { defaultPauseMs, maxPauseMs, type SendVerdict } from './verdict.ts';

/** A message that a template of SendGrid renders, instead of `subject`, `text` and `html`. */
export interface TemplateContent {
  readonly templateId: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** An e-mail for SendGrid. `deliveryId` returns with SendGrid's reports. */
export interface SendGridEmail {
  readonly apiKey: string;
  readonly deliveryId: string;
  readonly email: Email;
  readonly template?: TemplateContent | undefined;
}

/** Sends e-mails through SendGrid's v3 API. */
export interface SendGridSender {
  send(message: SendGridEmail): Promise<SendVerdict>;
  close(): Promise<void>;
}

/** SendGrid's bodies are not used. */
const maxBodyBytes = 65_536;

/** `baseUrl`: SendGrid's API with its version in the path. */
export function sendGridSender(baseUrl: string): SendGridSender {
  const provider = connectProvider(baseUrl, maxBodyBytes);
  return {
    async send(message) {
      const response = await provider.post('/mail/send', {
        secret: message.apiKey,
        type: 'application/json',
        body: JSON.stringify(bodyOf(message)),
      });
      if ('status' in response) return verdictOf(response);
      const { held, code } = response;
      return held === undefined ? { result: 'unknown', code } : { result: 'held', code, reason: held };
    },
    close: async () => provider.close(),
  };
}

/** One personalization per request; SendGrid sets the Message-ID itself. */
function bodyOf({ deliveryId, email, template }: SendGridEmail): object {
  const { from, to, replyTo, subject, text, html, headers } = email;
  return {
    personalizations: [
      {
        to: [{ email: to }],
        custom_args: { delivery: deliveryId },
        ...(template && { dynamic_template_data: template.data }),
      },
    ],
    from: { email: from.address, ...(from.name !== '' && { name: from.name }) },
    ...(replyTo !== '' && { reply_to: { email: replyTo } }),
    ...(template === undefined
      ? {
          subject,
          content: [
            { type: 'text/plain', value: text },
            { type: 'text/html', value: html },
          ],
        }
      : { template_id: template.templateId }),
    headers,
    tracking_settings: {
      click_tracking: { enable: false, enable_text: false },
      open_tracking: { enable: false },
    },
  };
}

function verdictOf(response: ProviderResponse): SendVerdict {
  const { status, headers } = response;
  const code = String(status);
  const reference = headers['x-message-id'];
  if (status === 202) return { result: 'accepted', code, reference: reference ?? null };
  if (status === 429) {
    const waitMs = Math.min(waitOf(response, 'x-ratelimit-reset') ?? defaultPauseMs, maxPauseMs);
    return { result: 'paused', code, waitMs };
  }
  if (status === 401 || status === 403) return { result: 'held', code, reason: 'credentials-refused' };
  if (status === 400 || status === 413) return { result: 'refused', code, addressUnknown: false };
  // Others say nothing about the message: a wrong path or a proxy may cause them for every message.
  return { result: 'failed', code };
}
