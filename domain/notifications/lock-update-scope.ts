import type { EntityManager } from '../../platform/database/orm.ts';
import { lockSelectedLocation } from '../documents/lock-selected-location.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { findUser } from '../users/find-user.ts';
import { refusingFencedFirst } from '../users/refusing-fenced-first.ts';
import type { NotificationUpdateScope } from './replace-recipients.ts';

/** The notifications that a call may update, by the customer's ids. */
export interface UpdateScopeRequest extends Pick<
  NotificationUpdateScope,
  'verifyUserPermissions' | 'byProvider'
> {
  readonly organizationId: string;
  readonly documentId?: string | undefined;
  readonly locationId?: string | undefined;
  readonly userId?: string | undefined;
}

/** Locks organization and document of an update that names these users. */
export async function lockUpdateScope(
  em: EntityManager,
  tenant: Tenant,
  request: UpdateScopeRequest,
  userIds: readonly string[],
): Promise<NotificationUpdateScope> {
  const { organizationId, locationId, userId, verifyUserPermissions, byProvider } = request;
  const { organization, document } = await refusingFencedFirst(
    em,
    tenant,
    { organizationId, userIds },
    async () => lockSelectedLocation(em, tenant, request),
  );
  // An unknown user has no notifications: no row has the key 0.
  const user = userId === undefined ? undefined : ((await findUser(em, tenant, userId))?.id ?? '0');
  return {
    organizationId,
    organization: organization.id,
    document: document?.id,
    location: locationId,
    user,
    verifyUserPermissions,
    byProvider,
  };
}
