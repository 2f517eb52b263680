import type { EntityManager } from '../../platform/database/orm.ts';
import { decideMaySee } from '../comments/emission/candidates.ts';
import { nameOfNumber } from '../name-of-number.ts';
import type { SentChannel } from '../notices/channels.ts';
import type { PlanningSettings } from '../notices/planning-settings.ts';
import type { SendingFacts } from '../notices/rules/sending-rules.ts';
import { whyNumbers, type HeldReason } from '../notices/statuses.ts';
import { documentAndUser, type MayReach } from '../notifications/decide-recipients.ts';
import { defaultPreference, levelName } from '../notifications/preferences.ts';
import { readAccess } from '../permissions/read-access.ts';
import type { Resource } from '../permissions/resource.ts';
import { verdictOf } from '../permissions/verdict.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { NoticeRow } from './read-notices.ts';

/** Facts of a channel that decide about all of its notices. */
export interface ChannelFacts {
  readonly tenant: Tenant;
  readonly channel: SentChannel;
  readonly settings: PlanningSettings;
  /** Why the channel is held; null when it sends. */
  readonly held: HeldReason | null;
  /**
   * Decisions of the permission provider; a constant where the attempt decides; undefined for keys without a provider.
   */
  readonly byProvider: MayReach | undefined;
  /** Whether the key's suppression list contains an address. */
  readonly isSuppressed: (address: string) => boolean;
}

/** Returns the facts of notices, by their surrogate keys. */
export async function factsOfNotices(
  em: EntityManager,
  { tenant, channel, settings, held, byProvider, isSuppressed }: ChannelFacts,
  notices: readonly NoticeRow[],
): Promise<ReadonlyMap<string, SendingFacts>> {
  const mayReach = byProvider ?? (await accessTo(em, tenant, notices));
  const maySee = await decideMaySee(em, threadsOf(notices), [...new Set(notices.map(({ user }) => user))]);
  return new Map(
    notices.map((notice): [string, SendingFacts] => {
      const { thread, user, user_ext: userId, document, document_ext: documentId } = notice;
      const reaches =
        !notice.verify ||
        (userId !== null && documentId !== null && mayReach({ userId, location: { document, documentId } }));
      return [
        notice.id,
        {
          exists: notice.exists,
          isUserDeleted: userId === null || notice.fenced,
          serviceOn: settings.serviceOn,
          channel: settings.channels[channel].state,
          isVisible: thread === null || maySee(thread, user),
          hasAccess: reaches,
          level: notice.level === null ? defaultPreference[channel] : levelName(notice.level),
          isNamed: nameOfNumber(whyNumbers, notice.why) !== 'member',
          isSeen: notice.seen,
          // The Slack account is looked up by the e-mail address when the message is sent.
          hasAddress: notice.email !== '' || (channel === 'slack' && notice.slack_user !== null),
          isSuppressed: channel === 'email' && isSuppressed(notice.email),
          held,
          readyMs: notice.ready_ms,
        },
      ];
    }),
  );
}

const threadsOf = (notices: readonly NoticeRow[]) => [
  ...new Map(
    notices.flatMap(({ thread, visibility, creator }) =>
      thread === null || visibility === null ? [] : [[thread, { id: thread, visibility, creator }] as const],
    ),
  ).values(),
];

/** Decides access by Steward's rules, in one statement that examines each pair of a user and a document once. */
async function accessTo(em: EntityManager, tenant: Tenant, notices: readonly NoticeRow[]): Promise<MayReach> {
  const pairs = new Map<string, { readonly userId: string; readonly resource: Resource }>();
  const organizations = new Map<string, string>();
  for (const { verify, exists, document, ...notice } of notices) {
    const { user_ext: userId, organization_ext: organizationId, document_ext: id } = notice;
    if (!verify || !exists || userId === null || organizationId === null || id === null) continue;
    organizations.set(document, organizationId);
    const resource: Resource = { type: 'document', id, organizationId };
    pairs.set(keyOf(organizationId, id, userId), { userId, resource });
  }
  if (pairs.size === 0) return () => false;
  const asked = [...pairs.values()];
  const found = await readAccess(em, tenant, {
    userIds: asked.map(({ userId }) => userId),
    resources: asked.map(({ resource }) => resource),
    paired: true,
  });
  const allowed = new Set(
    found
      .filter((row) => verdictOf(row).hasAccess)
      .map((row) => keyOf(row.org_ext_id, row.ext_id, row.user_ext)),
  );
  return ({ userId, location }) =>
    allowed.has(keyOf(organizations.get(location.document) ?? '', location.documentId, userId));
}

const keyOf = (organizationId: string, documentId: string, userId: string): string =>
  JSON.stringify([organizationId, documentAndUser(documentId, userId)]);
