import { LRUCache } from 'lru-cache';
import type { EntityManager, Orm } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { attemptLimitMs, type SendVerdict } from '../../platform/senders/verdict.ts';
import { slackKind } from '../configuration/kinds/slack.ts';
import { readConfiguration } from '../configuration/read-configuration.ts';
import { maxLengths, oneLine } from '../notices/messages/clean-text.ts';
import { contentOf, type ContentSettings } from '../notices/messages/content.ts';
import { slackDigest, slackSingle, type SlackTexts } from '../notices/messages/render-slack.ts';
import type { HeldReason } from '../notices/statuses.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { titleOf } from './compose-email.ts';
import type { ChannelTransport } from './transport.ts';
import type { ReadMessage } from './read-messages.ts';
import type { NoticeRow } from './read-notices.ts';
import type { Senders } from './senders.ts';
import {
  rememberAccount,
  rememberedAccounts,
  lookupVersion,
  type SlackAccounts,
} from './slack-identities.ts';

export interface SlackTransportOptions {
  readonly orm: Orm;
  readonly keyRing: KeyRing;
  readonly slack: Senders['slack'];
  readonly connections: Senders['connections']['slack'];
  readonly pace: ReaderPace;
}

/** Milliseconds between two messages to one account: Slack accepts about one per second. */
export const readerPaceMs = 1_000;

/** Limits the rate of this process's messages to each account. */
export class ReaderPace {
  /** Times of the next message, by `performance.now()`, by surrogate key of the user. */
  readonly #next = new LRUCache<string, number>({ max: 20_000 });

  /** Returns 0 and reserves the time, or the milliseconds to wait. */
  take(user: string): number {
    const now = performance.now();
    const next = this.#next.get(user) ?? 0;
    if (next > now) return next - now;
    this.#next.set(user, now + readerPaceMs);
    return 0;
  }
}

export async function openSlackTransport(
  em: EntityManager,
  options: SlackTransportOptions,
  { id: tenantId }: Tenant,
): Promise<ChannelTransport | { readonly held: HeldReason }> {
  const { slackServiceConfig: settings } = await readConfiguration(em, options.keyRing, tenantId, slackKind);
  const { botToken } = settings;
  if (botToken === '') return { held: 'token-missing' };
  return {
    connections: options.connections,
    prepare: async (em, _messages, noticesOf) => {
      const known = await rememberedAccounts(em, tenantId, usersWithAddress(noticesOf));
      return async ({ public_id: deliveryId, user }, messages, notices) => {
        if (messages.length === 0) return { skipped: 'notification-gone' };
        const postponedMs = options.pace.take(user);
        if (postponedMs > 0) return { postponedMs };
        // For lookup and message together: the claim leaves no time for a limit each.
        const limit = AbortSignal.timeout(attemptLimitMs);
        const found = await accountOf(options, { tenantId, botToken, user, limit, known }, notices[0]);
        if ('result' in found) return attempted(found);
        if (found.slackId === null) return { skipped: 'no-address' };
        if (limit.aborted) return attempted({ result: 'failed', code: 'ETIMEDOUT' });
        const message = { deliveryId, account: found.slackId, ...textsOf(settings, messages) };
        return attempted(await options.slack.send(botToken, message, limit));
      };
    },
  };
}

const attempted = (verdict: SendVerdict) => ({ verdict, provider: 'slack', unknownAddress: null }) as const;

/** Users whose account is that of their address. */
const usersWithAddress = (noticesOf: readonly (readonly NoticeRow[])[]): string[] =>
  noticesOf.flatMap(([notice]) =>
    notice === undefined || notice.slack_user !== null || notice.email === '' ? [] : [notice.user],
  );

interface Lookup {
  readonly tenantId: string;
  readonly botToken: string;
  readonly user: string;
  readonly limit: AbortSignal;
  /** Accounts that need no lookup. */
  readonly known: SlackAccounts;
}

async function accountOf(
  { orm, slack }: SlackTransportOptions,
  { tenantId, botToken, user, limit, known }: Lookup,
  notice: NoticeRow | undefined,
): Promise<{ readonly slackId: string | null } | SendVerdict> {
  if (typeof notice?.slack_user === 'string') return { slackId: notice.slack_user };
  const email = notice?.email ?? '';
  if (email === '') return { slackId: null };
  const directory = { tenantId, version: lookupVersion(botToken, email) };
  const key = `${user} ${String(directory.version)}`;
  const remembered = known.get(key);
  if (remembered !== undefined) return remembered;
  const found = await slack.findAccount(botToken, email, limit);
  if (!('slackId' in found)) return found;
  known.set(key, found);
  await rememberAccount(orm.em.fork(), directory, user, found);
  return found;
}

function textsOf(settings: ContentSettings, messages: readonly ReadMessage[]): SlackTexts {
  const [first, ...others] = messages;
  if (first !== undefined && others.length === 0) return slackSingle(contentOf(first.notice, settings));
  const items = messages.map(({ notice }) => contentOf(notice, settings, maxLengths.digestText));
  return slackDigest(items, oneLine(titleOf(messages), maxLengths.documentName));
}
