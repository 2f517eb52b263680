import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { rowOf } from '../../../platform/database/statements.ts';
import { emissionOf, emissions, type ThreadEventType } from '../../comments/emission/change.ts';
import { readVisibility, visibilityOf } from '../../comments/emission/candidates.ts';
import type { PlanningFacts } from '../../notices/rules/planning-rules.ts';
import { accessByRule } from '../../notifications/decide-recipients.ts';
import { contentHash, type NotificationBody } from '../../notifications/notification.ts';
import { defaultPreference, preferencesInForce, type Preference } from '../../notifications/preferences.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import type { ExplainedRow } from './find-explained.ts';

interface Place {
  readonly notification: ExplainedRow;
  readonly organization: string;
  readonly organizationId: string;
  readonly userId: string;
  /** Surrogate key; undefined for an unknown user. */
  readonly user: string | undefined;
}

export interface CandidateFacts extends Pick<PlanningFacts, 'recipient' | 'isVisible' | 'hasAccess'> {
  readonly levels: Preference;
}

/** What planning asks about a user, at present. An unknown user is no recipient. */
export async function candidateFacts(
  em: EntityManager,
  tenant: Tenant,
  { notification, organization, organizationId, userId, user }: Place,
): Promise<CandidateFacts> {
  if (user === undefined)
    return { recipient: 'none', isVisible: true, hasAccess: true, levels: defaultPreference };
  const { thread, document, document_ext: documentId } = notification;
  const [inForce] = await preferencesInForce(em, tenant.id, organization, [{ user, document }]);
  const levels = inForce?.preference ?? defaultPreference;
  const request = thread === null ? await findRequest(em, notification) : undefined;
  const recipient =
    thread === null
      ? recipientOfRequest(notification, user, request)
      : recipientOfComment(notification, user);
  const isVerified = thread !== null || request?.verify === true;
  const person = { userId, place: { document, documentId } };
  const hasAccess = async (): Promise<boolean> => {
    if (!isVerified) return true;
    if (!tenant.switches.permissionProvider)
      return (await accessByRule(em, tenant, organizationId, [person]))(person);
    // The provider decided when the inbox was written: who accepts it and is not in it had no access.
    const accepts = levels.inbox === 'ALL' || (levels.inbox === 'MINE' && recipient === 'named');
    return notification.in_inbox || !accepts;
  };
  const maySee =
    thread === null ? undefined : await visibilityOf(em, await readVisibility(em, [thread]), [user]);
  const isVisible = thread === null || maySee?.(thread, user) === true;
  return { recipient, isVisible, hasAccess: await hasAccess(), levels };
}

type Recipient = PlanningFacts['recipient'];

function recipientOfComment(
  { event, actor, in_inbox, is_member, is_involved, is_author }: ExplainedRow,
  user: string,
): Recipient {
  if (actor === user) return 'actor';
  const reach =
    event !== null && Object.hasOwn(emissions, event) ? emissionOf(event as ThreadEventType).reach : 'named';
  if (reach === 'named') return in_inbox || is_author ? 'named' : 'none';
  if (is_involved) return 'named';
  if (is_member && reach === 'members') return 'member';
  return in_inbox ? 'named' : 'none';
}

/** Members of the call that added a notification which its hash tells. */
interface AddRequest {
  /** The call named no recipients: it notified the members of the document. */
  readonly toMembers: boolean;
  readonly verify: boolean;
}

function recipientOfRequest(
  { actor, in_inbox, is_member }: ExplainedRow,
  user: string,
  request: AddRequest | undefined,
): Recipient {
  const asMember = actor === user ? 'actor' : 'member';
  if (request?.toMembers === false) return in_inbox ? 'named' : 'none';
  if (is_member) return asMember;
  if (!in_inbox) return 'none';
  return request === undefined ? 'named' : 'member';
}

const BodyRow = z.strictObject({ hash: z.instanceof(Buffer).nullable(), body: z.custom<NotificationBody>() });

/**
 * Finds out from the hash of a request whether it notified the members, and verified them. Undefined when the hash is gone,
 * because the notification or its recipients were changed. Whether named users were verified is not stored.
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
