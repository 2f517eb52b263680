import { connectProvider, waitOf, type NoResponse, type ProviderResponse } from './provider-request.ts';
import { defaultPauseMs, maxPauseMs, type SendVerdict } from './verdict.ts';

/** A message to one Slack account. */
export interface SlackMessage {
  readonly deliveryId: string;
  /** The account's id. */
  readonly account: string;
  /** Shown in notifications, escaped: `& < >` only as entities. */
  readonly text: string;
  readonly blocks: readonly object[];
}

/** The result of looking up an account by address. `slackId` is null when no account has the address. */
export type FoundAccount = { readonly slackId: string | null } | SendVerdict;

/** Calls Slack's web API with the bot token of a key. `limit`: ends the attempt, of which both calls may be part. */
export interface SlackSender {
  send(botToken: string, message: SlackMessage, limit: AbortSignal): Promise<SendVerdict>;
  findAccount(botToken: string, email: string, limit: AbortSignal): Promise<FoundAccount>;
  close(): Promise<void>;
}

const refused = new Set(['user_not_found', 'channel_not_found', 'cannot_dm_bot', 'msg_too_long']);
const badCredentials = new Set([
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'missing_scope',
]);

/** Slack's responses contain the blocks of the message, with characters as escapes of 6 to 12 bytes. */
const maxBodyBytes = 1_048_576;

/** `baseUrl`: Slack's API with `/api` in the path. */
export function slackSender(baseUrl: string): SlackSender {
  const provider = connectProvider(baseUrl, maxBodyBytes);
  return {
    async send(botToken, { deliveryId, account, text, blocks }, limit) {
      const message = {
        channel: account,
        text,
        blocks,
        unfurl_links: false,
        unfurl_media: false,
        metadata: { event_type: 'steward_notification', event_payload: { deliveryId } },
      };
      const response = await provider.post('/chat.postMessage', {
        secret: botToken,
        type: 'application/json; charset=utf-8',
        body: JSON.stringify(message),
        signal: limit,
      });
      if (isEcho(response)) return { result: 'accepted', code: 'ok', reference: null };
      const outcome = outcomeOf(response);
      if ('result' in outcome) return outcome;
      const { ts } = outcome.body;
      return { result: 'accepted', code: 'ok', reference: slackIdOf(ts) };
    },
    async findAccount(botToken, email, limit) {
      const outcome = outcomeOf(
        await provider.post('/users.lookupByEmail', {
          secret: botToken,
          type: 'application/x-www-form-urlencoded',
          body: new URLSearchParams({ email }).toString(),
          signal: limit,
        }),
      );
      if (!('result' in outcome)) {
        const { user } = outcome.body as { user?: { id?: unknown } };
        return { slackId: slackIdOf(user?.id) };
      }
      if (outcome.result === 'refused' && outcome.code === 'users_not_found') return { slackId: null };
      // Looking up an account sends no message that Slack may have accepted.
      return outcome.result === 'unknown' ? { result: 'failed', code: outcome.code } : outcome;
    },
    close: async () => provider.close(),
  };
}

/** An id or a message's time, which is its id; null for what cannot be one, and for what PostgreSQL cannot store. */
const slackIdOf = (value: unknown): string | null =>
  typeof value === 'string' && /^[\w.]{1,64}$/.test(value) ? value : null;

/**
 * Whether a response accepts a message although its body was not read. Only a 200 response that repeats the message is too
 * large. If it counted as a failure, the message would be sent again.
 */
const isEcho = (response: ProviderResponse | NoResponse): boolean =>
  'status' in response && response.status === 200 && response.cut === 'too-large';

/** The body of a successful call, or the verdict of a failed one. */
function outcomeOf(
  response: ProviderResponse | NoResponse,
): { readonly body: Readonly<Record<string, unknown>> } | SendVerdict {
  if (!('status' in response)) {
    const { held, code } = response;
    return held === undefined ? { result: 'unknown', code } : { result: 'held', code, reason: held };
  }
  const { status, cut } = response;
  // Slack's errors have the status 200 too, so only the body shows whether Slack accepted the message.
  if (status === 200 && cut === 'lost') return { result: 'unknown', code: 'ECONNECTION' };
  const body = parsed(response.body);
  const text = body?.['error'];
  const error = typeof text === 'string' && /^[a-z0-9_]{1,64}$/.test(text) ? text : undefined;
  const code = error ?? String(status);
  if (status === 429 || error === 'ratelimited' || error === 'rate_limited')
    return {
      result: 'paused',
      code,
      waitMs: Math.min(waitOf(response, 'x-ratelimit-reset') ?? defaultPauseMs, maxPauseMs),
    };
  if (status === 401 || status === 403 || badCredentials.has(code))
    return { result: 'held', code, reason: 'credentials-refused' };
  if (status === 200 && body?.['ok'] === true) return { body };
  if (refused.has(code) || code === 'users_not_found' || status === 400 || status === 413)
    return { result: 'refused', code, addressUnknown: false };
  return { result: 'failed', code };
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
