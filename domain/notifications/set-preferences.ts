import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { done, failed, type Outcome, type Outcomes } from '../batch.ts';
import { isOpen, refuseClosed } from '../closed-rows.ts';
import { visibleDocuments } from '../documents/resolve-document.ts';
import { messages } from '../messages.ts';
import { lockOrganization, type ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { refusingFencedFirst } from '../users/refusing-fenced-first.ts';
import { lockKnownUsers } from '../users/lock-known-users.ts';
import { lockUsers, refuseFencedUsers } from '../users/lock-users.ts';
import { levelNumbers } from './notification-preference.entity.ts';
import type { Channel, Preference } from './preferences.ts';

export interface PreferenceRequest {
  readonly organizationId: string;
  /** Undefined sets preferences of the organization. */
  readonly documentIds: readonly string[] | undefined;
  readonly userIds: readonly string[];
  /** Omitted channels keep their value. */
  readonly config: { readonly [Name in Channel]?: Preference[Name] | undefined };
}

/** The user of an outcome, and the first document of the request, which is null for the organization. */
interface PreferenceTarget {
  readonly userId: string;
  readonly documentId: string | null;
}

/** Outcomes by user id, and the customer's ids of documents that do not exist. */
export interface SetPreferences {
  readonly outcomes: Outcomes<PreferenceTarget>;
  readonly missingDocuments: readonly string[];
}

/** Sets the same preference for every user and document. An unknown document fails every user and writes nothing. */
export async function setPreferences(
  em: EntityManager,
  tenant: Tenant,
  { organizationId, documentIds, userIds, config }: PreferenceRequest,
): Promise<SetPreferences> {
  const organization = await refusingFencedFirst(em, tenant, { organizationId, userIds }, async () =>
    lockOrganization(em, tenant, organizationId),
  );
  const documents = documentIds && (await lockDocuments(em, organization, documentIds));
  const missingDocuments = documentIds?.filter((id) => documents?.has(id) === false) ?? [];
  const members = (userId: string): PreferenceTarget => ({ userId, documentId: documentIds?.[0] ?? null });
  if (missingDocuments.length > 0) {
    const missing = (userId: string): Outcome<PreferenceTarget> => ({
      ...failed('not-found', messages.documentMissing),
      ...members(userId),
    });
    await refuseFencedUsers(em, await lockKnownUsers(em, tenant, userIds), [organization.id]);
    return { outcomes: new Map(userIds.map((userId) => [userId, missing(userId)])), missingDocuments };
  }
  const users = await lockUsers(em, tenant, userIds);
  await refuseFencedUsers(em, users, [organization.id]);
  const number = (channel: Channel): number | null => {
    const level = config[channel];
    return level === undefined ? null : levelNumbers[level];
  };
  await sql`insert into preference as p (user_id, org_id, document_id, api_key_id, inbox, email, slack)
    select u.id, ${organization.id}, d.id, ${tenant.id}, ${number('inbox')}, ${number('email')}, ${number('slack')}
    from unnest(${[...users.values()]}::bigint[]) as u (id) cross join unnest(${documents ? [...documents.values()] : ['0']}::bigint[]) as d (id)
    order by u.id, d.id
    on conflict (user_id, org_id, document_id) do update set inbox = coalesce(excluded.inbox, p.inbox),
      email = coalesce(excluded.email, p.email), slack = coalesce(excluded.slack, p.slack), updated_at = now()`.execute(
    tablesOf(em),
  );
  const set = (userId: string): Outcome<PreferenceTarget> =>
    done('User config set successfully.', members(userId));
  return { outcomes: new Map(userIds.map((userId) => [userId, set(userId)])), missingDocuments };
}

/**
 * Locks existing documents FOR KEY SHARE, which excludes concurrent deletions. Returns surrogate keys by the customer's
 * ids. Throws ABORTED for one that waits.
 */
async function lockDocuments(
  em: EntityManager,
  organization: ResolvedOrganization,
  documentIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await visibleDocuments(tablesOf(em), organization, documentIds)
    .where(isOpen('d'))
    .clearOrderBy()
    .orderBy('d.id')
    .forKeyShare('d')
    .$narrowType<{ ext_id: string }>()
    .execute();
  if (found.length < documentIds.length) await refuseClosed(em, 'document', organization, documentIds);
  return new Map(found.flatMap(({ id, ext_id }) => (ext_id === null ? [] : [[ext_id, id] as const])));
}
