import type { EntityManager } from '../../../platform/database/orm.ts';
import { notFound } from '../../errors.ts';
import { messages } from '../../messages.ts';
import { channelNumbers, sentChannels, type SentChannel } from '../../notices/channels.ts';
import { readPlanningSettings, type PlannedChannel } from '../../notices/planning-settings.ts';
import { planningRules, stoppedAtPlanning, type PlanningFacts } from '../../notices/rules/planning-rules.ts';
import { rulesOfDelivery, rulesOfNotice, type EvaluatedRule } from '../../notices/rules/recorded-rules.ts';
import type { DeliveryStatus, HeldReason, StatusReason } from '../../notices/statuses.ts';
import { findOrganization } from '../../organizations/resolve-organization.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import type { PermissionProvider } from '../../permissions/provider/permission-provider.ts';
import { findUser } from '../../users/find-user.ts';
import { candidateFacts } from './candidate-facts.ts';
import { findExplained } from './find-explained.ts';
import { readRecord, type NoticeRecord } from './read-record.ts';

/** A notification and a user, by the customer's ids. */
export interface ExplainRequest {
  readonly organizationId: string;
  readonly notificationId: string;
  readonly userId: string;
}

/** The outcome of a notification for a user on one channel, and the rules that decided. */
export interface ChannelExplanation {
  readonly outcome: 'not-planned' | 'waiting' | 'batching' | DeliveryStatus;
  readonly reason: StatusReason | HeldReason | null;
  /** `computed`: nothing is stored, so the planning rules ran with the present settings. */
  readonly source: 'recorded' | 'computed';
  /** In order of evaluation; ends with the first rule that failed. */
  readonly rules: readonly EvaluatedRule[];
  /** Milliseconds since the epoch. */
  readonly dueAt: number | null;
  readonly deliveryIds: readonly string[];
}

export interface Explanation extends Readonly<Record<SentChannel, ChannelExplanation>> {
  readonly inbox: { readonly inInbox: boolean; readonly read: boolean };
}

/**
 * Explains why a user was notified or not. Throws NOT_FOUND for an unknown notification. Calls the key's permission
 * provider when nothing is recorded and all earlier rules pass, so it must run outside transactions.
 */
export async function explainNotification(
  em: EntityManager,
  tenant: Tenant,
  provider: PermissionProvider,
  { organizationId, notificationId, userId }: ExplainRequest,
): Promise<Explanation> {
  const { id: organization } = await findOrganization(em, tenant, organizationId);
  const user = await findUser(em, tenant, userId);
  const notification = await findExplained(em, tenant.id, { organization, notificationId, user: user?.id });
  if (notification === undefined) throw notFound(messages.notificationMissing);
  const location = { organization, organizationId, userId, user: user?.id };
  const recorded = user === undefined ? [] : await readRecord(em, tenant.id, { ...location, notification });
  const ofChannel = Map.groupBy(recorded, ({ channel }) => channel);
  const explained = (channel: SentChannel) => ofChannel.get(channelNumbers[channel]) ?? [];
  const unrecorded = sentChannels.filter((channel) => explained(channel).length === 0);
  const computed =
    unrecorded.length === 0
      ? undefined
      : await computeOutcomes(em, tenant, provider, { ...location, notification }, unrecorded);
  const of = (channel: SentChannel): ChannelExplanation =>
    recordedOutcome(explained(channel)) ?? stoppedOutcome(computed?.get(channel));
  const { in_inbox: inInbox, read } = notification;
  return { inbox: { inInbox, read }, email: of('email'), slack: of('slack') };
}

function recordedOutcome(records: readonly NoticeRecord[]): ChannelExplanation | undefined {
  const last = records.at(-1);
  if (last === undefined) return undefined;
  const { outcome, reason, held, dueAt } = last;
  const isWaiting = outcome === 'waiting' || outcome === 'batching';
  return {
    outcome,
    reason: held ?? reason,
    source: 'recorded',
    rules: isWaiting ? rulesOfNotice() : rulesOfDelivery(reason, held !== null),
    dueAt,
    deliveryIds: records.flatMap(({ deliveryId }) => deliveryId ?? []),
  };
}

function stoppedOutcome(facts: PlanningFacts | undefined): ChannelExplanation {
  if (facts === undefined) throw new Error('missing facts of a notification without a record');
  const stopped = stoppedAtPlanning(facts);
  const names = planningRules.map(({ name }) => name);
  const last = stopped === undefined ? names.length : names.indexOf(stopped.rule) + 1;
  return {
    outcome: 'not-planned',
    reason: stopped?.failure ?? null,
    source: 'computed',
    rules: names.slice(0, last).map((rule) => ({ rule, passed: rule !== stopped?.rule })),
    dueAt: null,
    deliveryIds: [],
  };
}

const isDecidedBeforeAccess = (facts: PlanningFacts): boolean => {
  const stopped = stoppedAtPlanning({ ...facts, hasAccess: true });
  return stopped !== undefined && stopped.rule !== 'preference';
};

/** Reads the facts of planning with the present settings. Reads access only when all earlier rules pass. */
async function computeOutcomes(
  em: EntityManager,
  tenant: Tenant,
  provider: PermissionProvider,
  location: Parameters<typeof candidateFacts>[2],
  unrecorded: readonly SentChannel[],
): Promise<ReadonlyMap<SentChannel, PlanningFacts>> {
  const { serviceOn, channels: settings } = await readPlanningSettings(em, tenant.id);
  const { levels, readAccess, ...facts } = await candidateFacts(em, tenant, location);
  const { event } = location.notification;
  const triggerOf = ({ triggers }: PlannedChannel) =>
    event === null ? undefined : Object.hasOwn(triggers, event) && triggers[event] === true;
  const factsOf = (channel: SentChannel): PlanningFacts => ({
    ...facts,
    serviceOn,
    channel: settings[channel].state,
    trigger: triggerOf(settings[channel]),
    hasAccess: true,
    level: levels[channel],
    isNamed: facts.recipient === 'named',
  });
  const computed = unrecorded.map((channel) => [channel, factsOf(channel)] as const);
  const hasAccess = computed.every(([, one]) => isDecidedBeforeAccess(one)) || (await readAccess(provider));
  return new Map(computed.map(([channel, one]) => [channel, { ...one, hasAccess }]));
}
