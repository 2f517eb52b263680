import type { EntityManager } from '../../platform/database/orm.ts';
import { DomainError } from '../errors.ts';
import { accessByRule, type MayReach } from '../notifications/decide-recipients.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { commentTexts } from './comment-texts.ts';

/** A call that writes comments or reactions. */
export interface VerifiedRequest {
  readonly organizationId: string;
  readonly documentId: string;
  /** Writes only if all authors have access to the document. */
  readonly verifyUserPermissions: boolean;
  /** Decisions of the permission provider, called beforehand; undefined for keys without one. */
  readonly byProvider: MayReach | undefined;
}

/** Throws PERMISSION_DENIED with `details.userIds` if authors, by the customer's ids, have no access to the document. */
export async function verifyAuthors(
  em: EntityManager,
  tenant: Tenant,
  { organizationId, documentId, verifyUserPermissions, byProvider }: VerifiedRequest,
  document: string,
  authorIds: Iterable<string>,
): Promise<void> {
  if (!verifyUserPermissions) return;
  const location = { document, documentId };
  const authors = [...new Set(authorIds)].map((userId) => ({ userId, location }));
  const mayReach = byProvider ?? (await accessByRule(em, tenant, organizationId, authors));
  const userIds = authors.filter((author) => !mayReach(author)).map(({ userId }) => userId);
  if (userIds.length > 0)
    throw new DomainError('PERMISSION_DENIED', commentTexts.noDocumentAccess, { userIds });
}
