import { sql } from 'kysely';
import { z } from 'zod';
import { required } from '../../platform/process/required.ts';
import type { Messaging } from '../../platform/config/messaging.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowOf } from '../../platform/database/statements.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { emailKind, type EmailConfiguration } from '../configuration/kinds/email.ts';
import { slackKind, type SlackConfiguration } from '../configuration/kinds/slack.ts';
import { readConfiguration } from '../configuration/read-configuration.ts';
import { nameOfNumber } from '../name-of-number.ts';
import { tablesOf } from '../tables.ts';
import { channelNumbers, type SentChannel } from './channels.ts';
import { mailAddress, type MailAddress } from './messages/address.ts';
import { senderAddress } from './sender-address.ts';
import { heldReasons, type HeldReason } from './statuses.ts';

/** Why a channel of a key does not send, and since when. */
export interface Held {
  readonly reason: HeldReason;
  /** Null when only the settings hold it. */
  readonly since: Date | null;
}

/** The e-mail channel of a key for its sender. Nothing is cached: an update applies to the next message. */
export interface EmailChannel {
  readonly config: EmailConfiguration;
  /** Undefined when the settings name none. */
  readonly from: MailAddress | undefined;
  /** Whether `from` replaces the key's own address. */
  readonly fromIsReplaced: boolean;
  /** The missing setting without which nothing can be sent. */
  readonly missing: HeldReason | undefined;
  readonly held: Held | undefined;
}

export interface SlackChannel {
  readonly config: SlackConfiguration;
  readonly missing: HeldReason | undefined;
  readonly held: Held | undefined;
}

/** Reads the settings of a key, secrets decrypted, in two statements. */
export async function readEmailChannel(
  em: EntityManager,
  keyRing: KeyRing,
  apiKeyId: string,
  messaging: Messaging,
): Promise<EmailChannel> {
  const config = await readConfiguration(em, keyRing, apiKeyId, emailKind);
  return emailChannelOf(em, apiKeyId, config, messaging);
}

/** Reads the facts other than the configuration that decide whether the key sends e-mail. */
export async function emailChannelOf(
  em: EntityManager,
  apiKeyId: string,
  config: EmailConfiguration,
  messaging: Messaging,
): Promise<EmailChannel> {
  const { emailServiceConfig: settings } = config;
  const state = await readState(em, apiKeyId, 'email');
  const from = senderAddress(settings, state.workspace_id, messaging);
  const isCustom = settings.type === 'custom';
  const isReplaced = from?.address !== mailAddress(settings.fromEmail)?.address;
  const missing = missingForEmail(config, state.stored, from, messaging);
  return {
    config,
    from,
    missing,
    fromIsReplaced: settings.type === 'default' && settings.fromEmail !== '' && isReplaced,
    held: isCustom ? undefined : heldBy(state, messaging, missing),
  };
}

export async function readSlackChannel(
  em: EntityManager,
  keyRing: KeyRing,
  apiKeyId: string,
  messaging: Messaging,
): Promise<SlackChannel> {
  const config = await readConfiguration(em, keyRing, apiKeyId, slackKind);
  return slackChannelOf(em, apiKeyId, config, messaging);
}

/** Reads the facts other than the configuration that decide whether the key sends Slack messages. */
export async function slackChannelOf(
  em: EntityManager,
  apiKeyId: string,
  config: SlackConfiguration,
  messaging: Messaging,
): Promise<SlackChannel> {
  const state = await readState(em, apiKeyId, 'slack');
  const missing = config.slackServiceConfig.botToken === '' ? 'token-missing' : undefined;
  return { config, missing, held: heldBy(state, messaging, missing) };
}

/**
 * Max seconds that a pause continues after an update of the settings: they may name another provider, which requested no
 * pause.
 */
const pauseSeconds = 30;

/**
 * Ends holds because of rejected settings, so that changed settings are tried at once. A pause that the provider
 * requested continues for up to 30 s.
 */
export async function retryWithNewSettings(
  em: EntityManager,
  apiKeyId: string,
  channel: SentChannel,
): Promise<void> {
  const lane = sql`api_key_id = ${apiKeyId} and channel = ${sql.lit(channelNumbers[channel])}`;
  const paused = sql.lit(heldReasons.paused);
  await sql`with released as (delete from channel_state where ${lane} and reason <> ${paused})
    update channel_state set next_try = least(next_try, now() + ${sql.lit(pauseSeconds)} * interval '1 second')
    where ${lane} and reason = ${paused}`.execute(tablesOf(em));
}

const StateRow = z.strictObject({
  workspace_id: z.string(),
  /** Whether e-mail settings were ever stored. */
  stored: z.boolean(),
  reason: z.number().nullable(),
  since: z.date().nullable(),
  /** Whether a pause continues. */
  waits: z.boolean(),
});

async function readState(
  em: EntityManager,
  apiKeyId: string,
  channel: SentChannel,
): Promise<z.infer<typeof StateRow>> {
  const state = await rowOf(
    em,
    StateRow,
    sql`select w.public_id as workspace_id, s.reason, s.since, coalesce(s.next_try > now(), false) as waits,
        exists (select from key_config c where c.api_key_id = k.id and c.kind = ${emailKind.name}) as stored
      from api_key k join workspace w on w.id = k.workspace_id
      left join channel_state s on s.api_key_id = k.id and s.channel = ${sql.lit(channelNumbers[channel])}
      where k.id = ${apiKeyId}`,
  );
  return required(state, 'row for authenticated API key');
}

/** `stored` without `hookId`: the settings were last written by a release that sent no e-mail. */
function missingForEmail(
  { emailServiceConfig: { type, apiKey }, hookId }: EmailConfiguration,
  stored: boolean,
  from: MailAddress | undefined,
  { mailServer }: Messaging,
): HeldReason | undefined {
  if (stored && hookId === '') return 'not-confirmed';
  if (type === 'default') return mailServer === undefined ? 'smtp-not-configured' : undefined;
  if (apiKey === '') return 'token-missing';
  return from === undefined ? 'from-missing' : undefined;
}

function heldBy(
  { reason, since, waits }: z.infer<typeof StateRow>,
  { paused }: Messaging,
  missing: HeldReason | undefined,
): Held | undefined {
  const stored = reason === null ? undefined : nameOfNumber(heldReasons, reason);
  const byProvider = stored === 'paused' && !waits ? undefined : stored;
  const held = missing ?? (paused ? 'paused' : byProvider);
  return held && { reason: held, since: held === stored ? since : null };
}
