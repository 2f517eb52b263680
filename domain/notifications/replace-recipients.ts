import type { EntityManager } from '../../platform/database/orm.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { LockedUsers } from '../users/lock-users.ts';
import type { LockedNotification, NotificationChange } from './change-notification.ts';
import {
  accessByRule,
  decideRecipients,
  allowEveryone,
  namedCandidates,
  type MayReach,
} from './decide-recipients.ts';
import { deleteRecipients, type FormerRows } from './remove-notifications.ts';
import { assignRecipients } from './write-notifications.ts';

/**
 * Notifications that the call may update; conditions are joined by AND. `document` and `user`, a recipient, are surrogate
 * keys.
 */
export interface NotificationUpdateScope {
  readonly organizationId: string;
  readonly organization: string;
  readonly document: string | undefined;
  readonly location: string | undefined;
  readonly user: string | undefined;
  readonly verifyUserPermissions: boolean;
  /** Decisions of the permission provider, called beforehand; undefined for keys without one. */
  readonly byProvider: MayReach | undefined;
}

/** Replaces the recipients of rewritten notifications. Returns what exceeds the call of former audiences. */
export async function replaceRecipients(
  em: EntityManager,
  tenant: Tenant,
  { organization, organizationId, verifyUserPermissions, byProvider }: NotificationUpdateScope,
  updates: readonly { readonly change: NotificationChange; readonly before: LockedNotification }[],
  users: LockedUsers,
): Promise<FormerRows> {
  if (updates.length === 0) return { audiences: [], named: [] };
  const groups = updates.map(({ change: { notifyUsers = [] }, before }) =>
    namedCandidates({ document: before.document_id, documentId: before.document_ext_id }, notifyUsers, users),
  );
  const people = groups.flat();
  const mayReach = verifyUserPermissions
    ? (byProvider ?? (await accessByRule(em, tenant, organizationId, people)))
    : allowEveryone;
  const choices = await decideRecipients(em, tenant.id, organization, people, mayReach);
  let start = 0;
  const sent = updates.map(({ before }, at) => {
    const end = start + (groups[at]?.length ?? 0);
    const chosen = choices.slice(start, end);
    start = end;
    return { id: before.id, choices: chosen, request: { toMembers: false, verify: verifyUserPermissions } };
  });
  await assignRecipients(em, tenant.id, sent);
  return deleteRecipients(
    em,
    tenant.id,
    updates.map(({ before }) => before),
  );
}
