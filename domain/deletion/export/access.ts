import { sql, type InferResult } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { PreferenceLevel } from '../../notifications/notification-preference.entity.ts';
import { levelName } from '../../notifications/preferences.ts';
import { accessRoleName, type AccessRole } from '../../tenancy/access-roles.ts';
import { resourceKindNumbers, resourceKinds, type ResourceKind } from '../../tenancy/resource-kinds.ts';
import { tablesOf } from '../../tables.ts';
import { sectionPage, type ExportedPerson, type Section } from './section.ts';

/** A resource that a person may access, as a member, by a grant, or both. */
export interface AccessibleResource {
  readonly type: ResourceKind;
  readonly id: string;
  readonly isMember: boolean;
  readonly memberRole: AccessRole | null;
  readonly grantRole: AccessRole | null;
  /** Seconds since the epoch. */
  readonly grantExpiresAt: number | null;
}

const customerIds = resourceKinds.map(
  (kind) => sql`
    when ${sql.lit(resourceKindNumbers[kind])} then (select r.ext_id from ${sql.table(kind)} r where r.id = a.resource_id)`,
);
const customerId = sql<string | null>`case a.kind ${sql.join(customerIds, sql``)} end`;

const accessOf = (em: EntityManager, { tenant, organization, user }: ExportedPerson) =>
  tablesOf(em)
    .selectFrom('access as a')
    .select(['a.kind', 'a.resource_id', 'a.is_member', 'a.member_role', 'a.grant_role'])
    .select(customerId.as('ext_id'))
    .select(sql<number | null>`extract(epoch from a.grant_expires_at)::float8`.as('grant_expires_at'))
    .where('a.user_id', '=', user)
    .where('a.org_id', '=', organization)
    .where('a.api_key_id', '=', tenant.id);

type AccessRow = InferResult<ReturnType<typeof accessOf>>[number];

/** Memberships and grants, two columns of one row. */
export const resources: Section<AccessibleResource> = async (em, person, { after, limit }) => {
  const [kind = '0', resource = '0'] = after ?? [];
  const found = await accessOf(em, person)
    .where(sql<boolean>`(a.kind, a.resource_id) > (${kind}::smallint, ${resource}::bigint)`)
    .orderBy('a.kind')
    .orderBy('a.resource_id')
    .limit(limit.rows + 1)
    .execute();
  const { rows: page, next } = sectionPage(found, limit, ({ kind, resource_id }) => [
    String(kind),
    resource_id,
  ]);
  return { rows: page.flatMap(resourceOf), next };
};

function resourceOf(row: AccessRow): AccessibleResource[] {
  const type = resourceKinds.find((kind) => resourceKindNumbers[kind] === row.kind);
  if (type === undefined || row.ext_id === null) return [];
  return [
    {
      type,
      id: row.ext_id,
      isMember: row.is_member,
      memberRole: row.member_role === null ? null : accessRoleName(row.member_role),
      grantRole: row.grant_role === null ? null : accessRoleName(row.grant_role),
      grantExpiresAt: row.grant_expires_at === null ? null : Math.round(row.grant_expires_at),
    },
  ];
}

/** A user group that the person belongs to. */
export interface JoinedGroup {
  readonly organizationUserGroupId: string;
  readonly groupName: string;
}

export const userGroups: Section<JoinedGroup> = async (
  em,
  { tenant, organization, user },
  { after, limit },
) => {
  const found = await tablesOf(em)
    .selectFrom('user_group_member as m')
    .crossJoinLateral((row) =>
      row
        .selectFrom('user_group as g')
        .select(['g.id', 'g.ext_id', 'g.name'])
        .whereRef('g.id', '=', 'm.group_id')
        .where('g.org_id', '=', organization)
        .offset(sql.lit(0))
        .as('g'),
    )
    .select(['g.id', 'g.ext_id as organizationUserGroupId', 'g.name as groupName'])
    .where('m.user_id', '=', user)
    .where('m.api_key_id', '=', tenant.id)
    .where('m.group_id', '>', after?.[0] ?? '0')
    .orderBy('m.group_id')
    .limit(limit.rows + 1)
    .execute();
  const { rows: page, next } = sectionPage(found, limit, ({ id }) => [id]);
  return { rows: page.map(({ id: _id, ...group }) => group), next };
};

/** A notification preference; the level of a null channel is inherited. */
export interface StoredPreference {
  /** Null for the whole organization. */
  readonly documentId: string | null;
  readonly inbox: PreferenceLevel | null;
  readonly email: PreferenceLevel | null;
  readonly slack: PreferenceLevel | null;
}

const preferencesOf = (em: EntityManager, { tenant, organization, user }: ExportedPerson) =>
  tablesOf(em)
    .selectFrom('preference as p')
    .select(['p.document_id', 'p.inbox', 'p.email', 'p.slack'])
    .select((row) =>
      row.selectFrom('document as d').select('d.ext_id').whereRef('d.id', '=', 'p.document_id').as('ext_id'),
    )
    .where('p.user_id', '=', user)
    .where('p.org_id', '=', organization)
    .where('p.api_key_id', '=', tenant.id);

type PreferenceRow = InferResult<ReturnType<typeof preferencesOf>>[number];

export const preferences: Section<StoredPreference> = async (em, person, { after, limit }) => {
  const found = await preferencesOf(em, person)
    .where('p.document_id', '>', after?.[0] ?? '-1')
    .orderBy('p.document_id')
    .limit(limit.rows + 1)
    .execute();
  const { rows: page, next } = sectionPage(found, limit, ({ document_id }) => [document_id]);
  return { rows: page.flatMap(preferenceOf), next };
};

const level = (number: number | null): PreferenceLevel | null =>
  number === null ? null : (levelName(number) ?? null);

const preferenceOf = ({ document_id, ext_id, inbox, email, slack }: PreferenceRow): StoredPreference[] =>
  document_id !== '0' && ext_id === null
    ? []
    : [{ documentId: ext_id, inbox: level(inbox), email: level(email), slack: level(slack) }];
