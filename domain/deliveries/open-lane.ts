import { inTransaction, type EntityManager, type Orm } from '../../platform/database/orm.ts';
import { readPlanningSettings } from '../notices/planning-settings.ts';
import { hashIn } from '../notices/suppression-hash.ts';
import { missingSettings, type HeldReason } from '../notices/statuses.ts';
import type { ChannelContext } from './channel-context.ts';
import { holdChannel, readHold, endHold, type Hold } from './channel-hold.ts';
import type { Clock } from './clock.ts';
import { findActiveTenant } from './find-tenant.ts';
import type { MessageSecrets } from './message-secrets.ts';
import type { ChannelTransport, OpenTransport } from './transport.ts';
import type { SenderRef } from './sender-ref.ts';

export interface LaneOptions {
  readonly orm: Orm;
  readonly messageSecrets: () => Promise<MessageSecrets>;
  readonly clock: Clock;
  /** Opens the transport of a key's channel. */
  readonly openTransport: OpenTransport;
}

export const isWaiting = (hold: Hold | undefined): boolean => hold !== undefined && hold.waitMs > 0;

/** A channel of a key with its present settings. */
export interface OpenLane {
  readonly context: ChannelContext;
  /** Undefined when the settings do not allow the channel to send. */
  readonly transport: ChannelTransport | undefined;
  readonly hold: Hold | undefined;
}

/**
 * Reads the key, its settings and its hold; undefined for a key that sends nothing. In one transaction, because each
 * statement alone would have one of its own.
 */
export async function openLane(options: LaneOptions, ref: SenderRef): Promise<OpenLane | undefined> {
  // Before the transaction: the first call reads the database.
  const secrets = await options.messageSecrets();
  return inTransaction(options.orm, async (em) => readLane(em, options, secrets, ref));
}

async function readLane(
  em: EntityManager,
  { orm, clock, openTransport }: LaneOptions,
  { suppressions }: MessageSecrets,
  { keyId, channel, now: workflowMs }: SenderRef,
): Promise<OpenLane | undefined> {
  const tenant = await findActiveTenant(em, keyId);
  if (tenant === undefined) return undefined;
  const lane = { tenantId: tenant.id, channel };
  const settings = await readPlanningSettings(em, tenant.id);
  const former = await readHold(em, lane);
  const opened = await openTransport(em, tenant, channel);
  const hold = await holdOf(em, lane, opened, former);
  return {
    context: {
      ...lane,
      orm,
      tenant,
      settings,
      held: hold?.reason ?? null,
      // The provider alone decides access. It is called before each attempt, outside transactions.
      byProvider: tenant.switches.permissionProvider ? () => true : undefined,
      now: clock(workflowMs),
      hashOf: hashIn(tenant.id, suppressions),
    },
    transport: 'held' in opened ? undefined : opened,
    hold,
  };
}

/** Holds the channel when its settings do not allow it to send, and ends this hold when they do. */
async function holdOf(
  em: EntityManager,
  lane: Parameters<typeof readHold>[1],
  opened: ChannelTransport | { readonly held: HeldReason },
  former: Hold | undefined,
): Promise<Hold | undefined> {
  if (!('held' in opened)) {
    if (former === undefined || !missingSettings.has(former.reason)) return former;
    await endHold(em, lane, former);
    return undefined;
  }
  if (former?.reason === opened.held && former.waitMs > 0) return former;
  await holdChannel(em, lane, opened.held);
  return readHold(em, lane);
}
