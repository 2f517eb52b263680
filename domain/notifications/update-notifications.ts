import { done, failed, type Outcome, type Outcomes } from '../batch.ts';
import { visibleDocument } from '../documents/resolve-document.ts';
import { invalidMember } from '../errors.ts';
import type { CreatedJob } from '../jobs/create-job.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { lockUsers, refuseFencedUsers, type LockedUsers } from '../users/lock-users.ts';
import { rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import {
  accessByRule,
  decideRecipients,
  everyone,
  namedPeople,
  surrogate,
  type Person,
} from './decide-recipients.ts';
import { createRemainder } from './delete-notifications.ts';
import { locationOf, mentionedIn, type NamedRecipient, type NotificationBody } from './notification.ts';
import { clearRecipients, removeNotifications } from './remove-notifications.ts';
import { markRead, rewriteNotifications, type RewrittenNotification } from './rewrite-notifications.ts';
import { writeNotifications, type NewNotification } from './write-notifications.ts';

/** A change of one notification; members that are not sent stay. */
export interface NotificationChange {
  readonly id: string;
  readonly members: Partial<NotificationBody>;
  /** In the place of the present recipients. */
  readonly notifyUsers: readonly NamedRecipient[] | undefined;
  readonly readByUserIds: readonly string[];
  /** Who has read it has read it also with other texts. */
  readonly persistReadForUsers: boolean;
}

/** Which notifications may be changed; all conditions hold. Document and user, a recipient, are surrogate keys. */
export interface UpdateScope {
  readonly organizationId: string;
  readonly organization: string;
  readonly document: string | undefined;
  readonly location: string | undefined;
  readonly user: string | undefined;
  readonly verifyUserPermissions: boolean;
}

export interface NotificationUpdate {
  readonly outcomes: Outcomes;
  /** Removes earlier recipients that were too many for the call. */
  readonly job: CreatedJob | undefined;
}

/** Members by which a notification says something else than before. */
const texts = [
  'displayHeadlineMessageTemplate',
  'displayHeadlineMessageTemplateData',
  'displayBodyMessage',
  'displayBodyMessageTemplate',
  'displayBodyMessageTemplateData',
] as const;

/** Recipients whose rows follow a notification to another location in one call. */
const mostRelocated = 10_000;

const mostUsers = 1_000;

export async function updateNotifications(
  em: EntityManager,
  tenant: Tenant,
  scope: UpdateScope,
  changes: readonly NotificationChange[],
): Promise<NotificationUpdate> {
  const users = await lockUsers(em, tenant, usersOf(changes));
  await refuseFencedUsers(em, users, scope.organization);
  const ids = changes.map(({ id }) => id);
  const existing = await lockExisting(em, tenant.id, scope, ids);
  const updates = changes.flatMap((change) => {
    const before = existing.get(change.id);
    return before === undefined ? [] : [{ change, before, after: merged(before.body, change.members) }];
  });
  const bound = withinBound(updates);
  const known = await knownUsers(em, tenant.id, users, bound);
  const written = bound.filter(({ change }) => change.notifyUsers === undefined);
  await rewriteNotifications(
    em,
    tenant.id,
    scope.organization,
    written.map((update) => rewritten(update, known)),
  );
  const orphans = await replaceRecipients(
    em,
    tenant,
    scope,
    bound.filter(({ change }) => change.notifyUsers !== undefined),
    known,
  );
  await markRead(
    em,
    tenant.id,
    scope.organization,
    bound.flatMap(({ change }) =>
      change.readByUserIds.map((userId) => ({ notificationId: change.id, user: surrogate(users, userId) })),
    ),
  );
  const changed = new Set(bound.map(({ change }) => change.id));
  const outcome = (id: string): Outcome => {
    if (changed.has(id)) return done('Notification updated.');
    return failed(existing.has(id) ? 'failed-precondition' : 'not-found', 'Failed to update notification.');
  };
  return {
    outcomes: new Map(ids.map((id) => [id, outcome(id)])),
    job: orphans.length === 0 ? undefined : await createRemainder(em, tenant, scope, { orphans, rest: null }),
  };
}

function usersOf(changes: readonly NotificationChange[]): string[] {
  const users = new Set(
    changes.flatMap(({ members, notifyUsers, readByUserIds }) => [
      ...(members.actionUser === undefined ? [] : [members.actionUser.userId]),
      ...mentionedIn(members as NotificationBody),
      ...(notifyUsers ?? []).map(({ userId }) => userId),
      ...readByUserIds,
    ]),
  );
  if (users.size > mostUsers) {
    const text = `notifications must name at most ${String(mostUsers)} different users, not ${String(users.size)}.`;
    throw invalidMember('notifications', text);
  }
  return [...users];
}

interface Existing {
  readonly id: string;
  readonly ext_id: string;
  readonly ts: string;
  readonly document_id: string;
  readonly document_ext_id: string;
  readonly actor_id: string;
  readonly revision: number;
  readonly recipient_count: number;
  readonly mentioned: readonly string[];
  readonly body: NotificationBody;
}

/** In the order of their time, as deletions lock them. */
async function lockExisting(
  em: EntityManager,
  tenantId: string,
  { organization, document, location, user }: UpdateScope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Existing>> {
  const found = await rows<Existing>(
    em,
    `select n.id, n.ext_id, n.ts, n.document_id, d.ext_id as document_ext_id, n.actor_id, n.revision, n.recipient_count,
       n.mentioned::text[] as mentioned, n.body
     from notification n join document d on d.id = n.document_id
     where n.org_id = $1 and n.ext_id = any($2) and n.api_key_id = $3 and d.deleted_at is null and ${visibleDocument}
       and ($4::bigint is null or n.document_id = $4) and ($5::text is null or n.location_id = $5)
       and ($6::bigint is null or exists (
         select from notification_recipient r where r.notification_id = n.id and r.user_id = $6))
     order by n.ts, n.id for update of n`,
    [organization, ids, tenantId, document ?? null, location ?? null, user ?? null],
  );
  return new Map(found.map((row) => [row.ext_id, row]));
}

interface Update {
  readonly change: NotificationChange;
  readonly before: Existing;
  readonly after: NotificationBody;
}

const merged = (body: NotificationBody, members: Partial<NotificationBody>): NotificationBody => ({
  ...body,
  ...Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)),
});

const relocates = ({ before, after }: Update): boolean => locationOf(before.body) !== locationOf(after);

/** Without those that would have to move the rows of too many recipients. */
function withinBound(updates: readonly Update[]): Update[] {
  let recipients = 0;
  return updates.filter((update) => {
    if (update.change.notifyUsers !== undefined || !relocates(update)) return true;
    recipients += update.before.recipient_count;
    return recipients <= mostRelocated;
  });
}

/** Said anew, it is unread for everyone. */
const revisionAfter = ({ change, before, after }: Update): number => {
  const said = texts.some((text) => JSON.stringify(before.body[text]) !== JSON.stringify(after[text]));
  return before.revision + (said && !change.persistReadForUsers ? 1 : 0);
};

const actorAfter = ({ change: { members }, before }: Update, users: LockedUsers): string =>
  members.actionUser === undefined ? before.actor_id : surrogate(users, members.actionUser.userId);

function rewritten(update: Update, users: LockedUsers): RewrittenNotification {
  const { before, after } = update;
  return {
    id: before.id,
    body: after,
    actor: actorAfter(update, users),
    mentioned: mentionedAfter(update, users),
    revision: revisionAfter(update),
    relocated: relocates(update),
  };
}

const mentionedAfter = ({ after }: Update, users: LockedUsers): string[] =>
  [...mentionedIn(after)].map((userId) => users.get(userId)).filter((id) => id !== undefined);

/** With the users that earlier members name, which stay: they were locked, and looked up in the fence, when they came. */
async function knownUsers(
  em: EntityManager,
  tenantId: string,
  users: LockedUsers,
  updates: readonly Update[],
): Promise<LockedUsers> {
  const named = new Set(updates.flatMap(({ after }) => [...mentionedIn(after)]));
  const others = [...named].filter((userId) => !users.has(userId));
  if (others.length === 0) return users;
  const found = await rows<{ id: string; ext_id: string }>(
    em,
    'select id, ext_id from app_user where api_key_id = $1 and ext_id = any($2)',
    [tenantId, others],
  );
  return new Map([...users, ...found.map(({ id, ext_id }) => [ext_id, id] as const)]);
}

/** Pairs of a user and a document that one call verifies. */
const mostPairs = 10_000;

/** Answers the earlier ones whose recipients were too many for the call. */
async function replaceRecipients(
  em: EntityManager,
  tenant: Tenant,
  { organization, organizationId, verifyUserPermissions }: UpdateScope,
  updates: readonly Update[],
  users: LockedUsers,
): Promise<string[]> {
  if (updates.length === 0) return [];
  const groups = updates.map(({ change: { notifyUsers = [] }, before }) =>
    namedPeople({ document: before.document_id, documentId: before.document_ext_id }, notifyUsers, users),
  );
  const people = groups.flat();
  if (verifyUserPermissions) refuseManyPairs(people);
  const mayReach = verifyUserPermissions ? await accessByRule(em, tenant, organizationId, people) : everyone;
  const choices = await decideRecipients(em, tenant.id, organization, people, mayReach);
  let start = 0;
  const sent = updates.map((update, at): NewNotification => {
    const { change, before, after } = update;
    const end = start + (groups[at]?.length ?? 0);
    const recipients = choices.slice(start, end).filter(({ notified }) => notified);
    start = end;
    return {
      notificationId: change.id,
      document: before.document_id,
      actor: actorAfter(update, users),
      mentioned: mentionedAfter(update, users),
      at: Number(before.ts),
      revision: revisionAfter(update),
      hash: null,
      body: after,
      recipients,
      replaces: before.id,
    };
  });
  const earlier = updates.map(({ before }) => before);
  await removeNotifications(
    em,
    tenant.id,
    earlier.map(({ id }) => id),
  );
  await writeNotifications(em, tenant.id, organization, sent);
  return clearRecipients(em, tenant.id, earlier);
}

function refuseManyPairs(people: readonly Person[]): void {
  const users = new Set(people.map(({ userId }) => userId));
  const documents = new Set(people.map(({ place }) => place.document));
  if (users.size * documents.size <= mostPairs) return;
  const text = `notifications must hold at most ${String(mostPairs)} pairs of a user and a document to verify.`;
  throw invalidMember('notifications', text);
}
