import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { rowOf } from '../../../platform/database/statements.ts';
import { emissionOf, emissions, type ThreadEventType } from '../../comments/emission/change.ts';
import { decideMaySee, readVisibility } from '../../comments/emission/candidates.ts';
import type { PlanningFacts } from '../../notices/rules/planning-rules.ts';
import { accessByRule } from '../../notifications/decide-recipients.ts';
import { contentHash } from '../../notifications/notification.ts';
import type { NotificationBody } from '../../notifications/notification.entity.ts';
import { defaultPreference, preferencesInForce, type Preference } from '../../notifications/preferences.ts';
import { accessByProvider } from '../../notifications/verify-by-provider.ts';
import type { PermissionProvider } from '../../permissions/provider/permission-provider.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import type { ExplainedRow } from './find-explained.ts';

interface Location {
  readonly notification: ExplainedRow;
  readonly organization: string;
  readonly organizationId: string;
  readonly userId: string;
  /** Surrogate key; undefined for an unknown user. */
  readonly user: string | undefined;
}

export interface CandidateFacts extends Pick<PlanningFacts, 'recipient' | 'isVisible'> {
  readonly levels: Preference;
  /** Decides by Steward's rules, or calls the key's permission provider. A failed provider grants no access. */
  readonly readAccess: (provider: PermissionProvider) => Promise<boolean>;
}

const unknownUser: CandidateFacts = {
  recipient: 'none',
  isVisible: true,
  levels: defaultPreference,
  readAccess: async () => Promise.resolve(true),
};

/** Returns the present facts about a user that the planning rules need. An unknown user is not a recipient. */
export async function candidateFacts(
  em: EntityManager,
  tenant: Tenant,
  { notification, organization, organizationId, userId, user }: Location,
): Promise<CandidateFacts> {
  if (user === undefined) return unknownUser;
  const { thread, document, document_ext: documentId } = notification;
  const [inForce] = await preferencesInForce(em, tenant.id, organization, [{ user, document }]);
  const levels = inForce?.preference ?? defaultPreference;
  const request =
    thread === null ? (requestOf(notification) ?? (await findRequest(em, notification))) : undefined;
  const recipient =
    thread === null
      ? recipientOfRequest(notification, user, request)
      : recipientOfComment(notification, user);
  const isVerified = thread !== null || request?.verify === true;
  const person = { userId, location: { document, documentId } };
  const readAccess = async (provider: PermissionProvider): Promise<boolean> => {
    if (!isVerified) return true;
    const query = { organizationId, documentIds: [documentId], userIds: [userId] };
    const mayReach = tenant.switches.permissionProvider
      ? await accessByProvider(provider, tenant, query)
      : await accessByRule(em, tenant, organizationId, [person]);
    return mayReach(person);
  };
  const maySee =
    thread === null ? undefined : await decideMaySee(em, await readVisibility(em, [thread]), [user]);
  const isVisible = thread === null || maySee?.(thread, user) === true;
  return { recipient, isVisible, levels, readAccess };
}

type Recipient = PlanningFacts['recipient'];

function recipientOfComment(
  { event, actor, in_inbox, is_named, is_member, is_involved, is_author }: ExplainedRow,
  user: string,
): Recipient {
  if (actor === user) return 'actor';
  const reach =
    event !== null && Object.hasOwn(emissions, event) ? emissionOf(event as ThreadEventType).reach : 'named';
  if (reach === 'named') return in_inbox || is_author ? 'named' : 'none';
  if (is_involved || is_named) return 'named';
  if (is_member && reach === 'members') return 'member';
  return in_inbox ? 'named' : 'none';
}

/** How the call that wrote the recipients of a notification chose them. */
interface AddRequest {
  /** True when the call named no recipients and notified the members of the document. */
  readonly toMembers: boolean;
  readonly verify: boolean;
}

function recipientOfRequest(
  { actor, in_inbox, is_named, is_member }: ExplainedRow,
  user: string,
  request: AddRequest | undefined,
): Recipient {
  const asMember = actor === user ? 'actor' : 'member';
  if (request?.toMembers === false) return in_inbox || is_named ? 'named' : 'none';
  if (is_member) return asMember;
  if (!in_inbox) return 'none';
  return request === undefined ? 'named' : 'member';
}

const requestOf = ({ to_members: toMembers, verify }: ExplainedRow): AddRequest | undefined =>
  toMembers === null || verify === null ? undefined : { toMembers, verify };

const BodyRow = z.strictObject({ hash: z.instanceof(Buffer).nullable(), body: z.custom<NotificationBody>() });

/**
 * Derives from the hash of a request of 0.2.0 whether it notified the members and whether it verified them. Undefined
 * when the hash is gone, because the notification or its recipients have changed. The hash does not show whether 0.2.0
 * verified named users.
 */
async function findRequest(em: EntityManager, { id }: ExplainedRow): Promise<AddRequest | undefined> {
  const found = await rowOf(
    em,
    BodyRow,
    sql`select content_hash as hash, body from notification where id = ${id}`,
  );
  if (found === undefined || found.hash === null) return undefined;
  for (const verify of [false, true]) {
    if (found.hash.equals(await contentHash(found.body, null, verify))) return { toMembers: true, verify };
  }
  return { toMembers: false, verify: false };
}
