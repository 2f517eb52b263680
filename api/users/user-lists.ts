import type { Tenant } from '../../domain/tenancy/tenant.ts';
import type { MembershipLevel } from '../../domain/members/membership-level.ts';
import { readDocumentUsers } from '../../domain/members/read-document-users.ts';
import { readMembers } from '../../domain/members/read-members.ts';
import { readUsersByDocument } from '../../domain/members/read-users-by-document.ts';
import type { UserFilter, UserRow } from '../../domain/members/user-row.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { Grouped } from '../http/response/list-form.ts';
import type { PageReader, Position } from '../http/response/page-reader.ts';
import { textPages } from '../http/response/row-pages.ts';

/** Source of the lists of one request. */
export interface UserSource {
  readonly em: EntityManager;
  readonly tenant: Tenant;
  readonly level: MembershipLevel;
  readonly filter: UserFilter;
}

type View<Item> = (row: UserRow) => Item;

/** One value of a position; undefined beyond its last value. */
const textOf = (position: Position | undefined, index: number): string | undefined =>
  position?.[index] === undefined ? undefined : String(position[index]);

const positionOf = (...parts: (string | undefined)[]): Position => parts.filter((part) => part !== undefined);

/** Reads members of exactly one level. */
export function members<Item>({ em, tenant, level, filter }: UserSource, view: View<Item>): PageReader<Item> {
  return textPages(async (after, limit) => {
    const { users, next, cut } = await readMembers(em, tenant, level, filter, { after, limit });
    return { items: users.map(view), next, cut };
  });
}

/** Reads users of any document, each user once. */
export function documentUsers<Item>(
  { em, tenant, level, filter }: UserSource,
  view: (row: UserRow & { readonly documents: readonly string[] | null }) => Item,
  withDocuments = false,
): PageReader<Item> {
  return async (position, limit) => {
    const after = position && { userId: String(position[0]), resource: textOf(position, 1) };
    const query = { filter, after, limit, withDocuments };
    const page = await readDocumentUsers(em, tenant, { id: level.organization }, query);
    return {
      items: page.users.map(view),
      next: page.next && positionOf(page.next.userId, page.next.resource),
      cut: page.cut,
    };
  };
}

/** Reads members of every document, grouped by document id. */
export function groupedUsers<Item>(
  { em, tenant, level, filter }: UserSource,
  view: View<Item>,
): PageReader<Grouped<Item>> {
  return async (position, limit) => {
    const after = position && { documentId: String(position[0]), userId: textOf(position, 1) };
    const page = await readUsersByDocument(em, tenant, { id: level.organization }, { filter, after, limit });
    return {
      items: page.members.map((row) => ({ group: row.document_id, item: view(row) })),
      next: page.next && positionOf(page.next.documentId, page.next.userId),
      cut: page.cut,
    };
  };
}
