import type { EntityManager } from '../../platform/database/orm.ts';
import { visibilityOf } from '../comments/emission/candidates.ts';
import { nameOfNumber } from '../name-of-number.ts';
import type { SentChannel } from '../notices/channels.ts';
import type { PlanningSettings } from '../notices/planning-settings.ts';
import type { SendingFacts } from '../notices/rules/sending-rules.ts';
import { whyNumbers, type HeldReason } from '../notices/statuses.ts';
import { documentAndUser, type MayReach } from '../notifications/decide-recipients.ts';
import { defaultPreference, levelName } from '../notifications/preferences.ts';
import { readAccess } from '../permissions/read-access.ts';
import { verdictOf } from '../permissions/verdict.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { NoticeRow } from './read-notices.ts';

/** Facts of a channel that decide about all of its notices. */
export interface Judgement {
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
  judgement: Judgement,
  notices: readonly NoticeRow[],
): Promise<ReadonlyMap<string, SendingFacts>> {
  const { tenant, channel, settings, held, isSuppressed } = judgement;
  const mayReach = judgement.byProvider ?? (await accessTo(em, tenant, notices));
  const maySee = await visibilityOf(em, threadsOf(notices), [...new Set(notices.map(({ user }) => user))]);
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

/** Max pairs of a user and a document per statement. */
const maxPairs = 10_000;

/** Decides access by Steward's rules, with one statement per organization and `maxPairs` pairs. */
async function accessTo(em: EntityManager, tenant: Tenant, notices: readonly NoticeRow[]): Promise<MayReach> {
  const allowed = new Set<string>();
  const verified = notices.filter((notice) => notice.verify && notice.exists && notice.user_ext !== null);
  for (const [organizationId, group] of Map.groupBy(verified, (notice) => notice.organization_ext ?? '')) {
    const userIds = [...new Set(group.map(({ user_ext }) => user_ext ?? ''))];
    const documents = [...new Set(group.map(({ document_ext }) => document_ext ?? ''))];
    const perStatement = Math.max(1, Math.floor(maxPairs / userIds.length));
    for (let from = 0; from < documents.length; from += perStatement) {
      const resources = documents
        .slice(from, from + perStatement)
        .map((id) => ({ type: 'document' as const, id, organizationId }));
      for (const row of await readAccess(em, tenant, { userIds, resources })) {
        if (verdictOf(row).hasAccess) allowed.add(keyOf(organizationId, row.ext_id, row.user_ext));
      }
    }
  }
  const organizations = new Map(verified.map((notice) => [notice.document, notice.organization_ext ?? '']));
  return ({ userId, location }) =>
    allowed.has(keyOf(organizations.get(location.document) ?? '', location.documentId, userId));
}

const keyOf = (organizationId: string, documentId: string, userId: string): string =>
  JSON.stringify([organizationId, documentAndUser(documentId, userId)]);
