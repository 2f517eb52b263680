import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { lockDocument } from '../documents/resolve-document.ts';
import { lockOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { refusingFencedFirst } from '../users/refusing-fenced-first.ts';
import { lockUsers, refuseFencedUsers } from '../users/lock-users.ts';

/** The customer's ids of a record. */
export interface CrdtAddress {
  readonly organizationId: string;
  readonly documentId: string;
  readonly editorId: string;
}

/** The writer of a change, as sent. */
export interface CrdtWriter {
  readonly lastUpdatedBy?: string | undefined;
  readonly sessionId?: string | undefined;
}

/** Surrogate keys, all locked FOR KEY SHARE. */
export interface LockedCrdtLocation {
  readonly organization: string;
  readonly document: string;
  readonly writer: string | null;
}

/** The organization and the users of a write, for `refusingFencedFirst`. */
export const usersOfWrite = ({
  organizationId,
  lastUpdatedBy,
}: Pick<CrdtAddress, 'organizationId'> & CrdtWriter) => ({
  organizationId,
  userIds: lastUpdatedBy === undefined ? [] : [lastUpdatedBy],
});

/** Locks the location and the writer of a record. Throws NOT_FOUND, and FAILED_PRECONDITION for a fenced writer. */
export async function lockCrdtLocation(
  em: EntityManager,
  tenant: Tenant,
  address: CrdtAddress,
  { lastUpdatedBy }: CrdtWriter,
): Promise<LockedCrdtLocation> {
  const { organization, document } = await refusingFencedFirst(
    em,
    tenant,
    usersOfWrite({ ...address, lastUpdatedBy }),
    async () => {
      const organization = await lockOrganization(em, tenant, address.organizationId);
      return { organization, document: await lockDocument(em, tenant, organization, address.documentId) };
    },
  );
  const users = await lockUsers(em, tenant, lastUpdatedBy === undefined ? [] : [lastUpdatedBy]);
  await refuseFencedUsers(em, users, [organization.id]);
  const writer = lastUpdatedBy === undefined ? undefined : users.get(lastUpdatedBy);
  return { organization: organization.id, document: document.id, writer: writer ?? null };
}

/**
 * Schedules one event for 5 s after the first write. The row stays locked until commit, so that no event is recorded
 * before the write is visible.
 */
export async function scheduleEvent(em: EntityManager, tenant: Tenant, record: string): Promise<void> {
  if (!tenant.switches.webhooks) return;
  await tablesOf(em)
    .insertInto('crdt_event')
    .values({ crdt_id: record, api_key_id: tenant.id, due_at: sql`now() + interval '5 seconds'` })
    .onConflict((conflict) => conflict.column('crdt_id').doUpdateSet({ due_at: sql`crdt_event.due_at` }))
    .execute();
}
