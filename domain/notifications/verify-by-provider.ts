import { lockLocation, type LocationRequest } from '../documents/lock-location.ts';
import { failedPrecondition } from '../errors.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import type { PermissionProvider } from '../permissions/provider/permission-provider.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { anyOf } from '../../platform/database/statements.ts';
import { documentAndUser, refuseManyPairs, type MayReach } from './decide-recipients.ts';
import { lockMembers } from './document-members.ts';
import type { NamedRecipient } from './notification.ts';

/** Every user with every document is asked about; customer's ids. */
export interface AccessVerification {
  readonly organizationId: string;
  readonly documentIds: readonly string[];
  readonly userIds: readonly string[];
}

/** Whom an addition may notify. Makes the place where it may: the provider is asked about what is there. */
export async function verificationForAdd(
  em: EntityManager,
  tenant: Tenant,
  place: Omit<LocationRequest, 'userIds'>,
  notifyUsers: readonly NamedRecipient[] | undefined,
): Promise<AccessVerification> {
  const { organization, document } = await lockLocation(em, tenant, { ...place, userIds: [] });
  const page: { members: readonly { readonly userId: string }[]; next: string | undefined } =
    notifyUsers === undefined
      ? await lockMembers(em, tenant.id, { organization, document }, undefined)
      : { members: notifyUsers, next: undefined };
  refuseManyMembers(page.next);
  const userIds = page.members.map(({ userId }) => userId);
  return { organizationId: place.organizationId, documentIds: [place.documentId], userIds };
}

/** A job could not ask: it has no way to the provider. */
export function refuseManyMembers(next: string | undefined): void {
  if (next === undefined) return;
  throw failedPrecondition(
    'With a permission provider, verifyUserPermissions is for documents of at most 1,000 members. Send notifyUsers.',
  );
}

/** Whom an update may notify, in the documents of the notifications that get other recipients. */
export async function verificationForUpdate(
  em: EntityManager,
  tenant: Tenant,
  { id: organization, organizationId }: ResolvedOrganization & { readonly organizationId: string },
  changes: readonly {
    readonly id: string;
    readonly notifyUsers?: readonly NamedRecipient[] | undefined;
  }[],
): Promise<AccessVerification> {
  const ids = changes.map(({ id }) => id);
  const found = await tablesOf(em)
    .selectFrom('notification as n')
    .innerJoin('document as d', 'd.id', 'n.document_id')
    .select('d.ext_id')
    .distinct()
    .where('n.org_id', '=', organization)
    .where('n.ext_id', '=', anyOf(ids))
    .where('n.api_key_id', '=', tenant.id)
    .where('d.deleted_at', 'is', null)
    .$narrowType<{ ext_id: string }>()
    .execute();
  const documentIds = found.map(({ ext_id }) => ext_id);
  const named = changes.flatMap(({ notifyUsers }) => (notifyUsers ?? []).map(({ userId }) => userId));
  const userIds = [...new Set(named)];
  refuseManyPairs(userIds.length, documentIds.length);
  return { organizationId, documentIds, userIds };
}

/** Calls outside: never within a transaction. Who was not asked about may not reach anything. */
export async function accessByProvider(
  provider: PermissionProvider,
  tenant: Tenant,
  { organizationId, documentIds, userIds }: AccessVerification,
): Promise<MayReach> {
  if (userIds.length === 0 || documentIds.length === 0) return () => false;
  const resources = documentIds.map((id) => ({ type: 'document' as const, id, organizationId }));
  const decided = await provider.decide(tenant, { userIds, resources });
  const allowed = new Set(
    decided
      .filter(([, { hasAccess }]) => hasAccess)
      .map(([{ ext_id, user_ext }]) => documentAndUser(ext_id, user_ext)),
  );
  return ({ userId, place }) => allowed.has(documentAndUser(place.documentId, userId));
}
