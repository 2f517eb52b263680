import type { EntityManager } from '../../platform/database/orm.ts';
import { anyOf } from '../../platform/database/statements.ts';
import { lockLocation, type LocationRequest } from '../documents/lock-location.ts';
import { failedPrecondition, StalePreparation } from '../errors.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import type { Decider } from '../permissions/provider/permission-provider.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { refusingFencedFirst } from '../users/refusing-fenced-first.ts';
import { reachAmong, refuseManyPairs, type MayReachDocument } from './decide-recipients.ts';
import { lockMembers } from './document-members.ts';
import type { NamedRecipient } from './notification.ts';

/** The access of every user to every document, to check with the provider; customer's ids. */
export interface AccessVerification {
  readonly organizationId: string;
  readonly documentIds: readonly string[];
  readonly userIds: readonly string[];
}

/**
 * Returns the recipients to verify for an add. Creates organization and document first if allowed: the provider decides
 * only about existing ones.
 */
export async function verificationForAdd(
  em: EntityManager,
  tenant: Tenant,
  location: Omit<LocationRequest, 'userIds'>,
  notifyUsers: readonly NamedRecipient[] | undefined,
): Promise<AccessVerification> {
  const named = {
    organizationId: location.organizationId,
    userIds: (notifyUsers ?? []).map(({ userId }) => userId),
  };
  const { organization, document } = await refusingFencedFirst(em, tenant, named, async () =>
    lockLocation(em, tenant, { ...location, userIds: [] }),
  );
  const page: { members: readonly { readonly userId: string }[]; next: string | undefined } =
    notifyUsers === undefined
      ? await lockMembers(em, tenant.id, { organization, document }, [])
      : { members: notifyUsers, next: undefined };
  refuseManyMembers(page.next);
  const userIds = page.members.map(({ userId }) => userId);
  return { organizationId: location.organizationId, documentIds: [location.documentId], userIds };
}

/** The job that notifies further members does not call the permission provider, so all members must fit in one call. */
export function refuseManyMembers(next: string | undefined): void {
  if (next === undefined) return;
  throw failedPrecondition(
    'With a permission provider, verifyUserPermissions is for documents of at most 1,000 members. Send notifyUsers.',
  );
}

/** The recipients to verify for an update, in the documents of notifications with new recipients. */
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

/** Bytes of a pair beside its ids: a row, a check, its promises and its key. */
const bytesPerPair = 1_000;

/** Max bytes that a verification holds while the provider is called: each pair has its three ids twice. */
export function verificationBytes({ organizationId, documentIds, userIds }: AccessVerification): number {
  const pairs = userIds.length * documentIds.length;
  const ids = bytesOf(userIds) * documentIds.length + bytesOf(documentIds) * userIds.length;
  return pairs * (bytesPerPair + 2 * Buffer.byteLength(organizationId)) + 2 * ids;
}

const bytesOf = (ids: readonly string[]): number => ids.reduce((sum, id) => sum + Buffer.byteLength(id), 0);

/**
 * Calls the provider, so it must run outside transactions. The result throws StalePreparation for a pair that was not asked
 * about: a document has moved, or a member has joined meanwhile.
 */
export async function accessByProvider(
  provider: Decider,
  tenant: Tenant,
  { organizationId, documentIds, userIds }: AccessVerification,
): Promise<MayReachDocument> {
  const asked = { users: new Set(userIds), documents: new Set(documentIds) };
  const resources = documentIds.map((id) => ({ type: 'document' as const, id, organizationId }));
  const decided =
    userIds.length * documentIds.length === 0 ? [] : await provider.decide(tenant, { userIds, resources });
  const allowed = decided.filter(([, { hasAccess }]) => hasAccess).map(([row]) => row);
  const mayReach = reachAmong(userIds, documentIds, allowed);
  return (pair) => {
    if (!asked.users.has(pair.userId) || !asked.documents.has(pair.location.documentId))
      throw new StalePreparation();
    return mayReach(pair);
  };
}
