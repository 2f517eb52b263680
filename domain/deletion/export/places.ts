import type { Level } from '../../notifications/preferences.ts';
import { levelName } from '../../notifications/preferences.ts';
import { accessRoleName, type AccessRole } from '../../tenancy/access-roles.ts';
import { resourceKindNumbers, resourceKinds, type ResourceKind } from '../../tenancy/resource-kinds.ts';
import { rows } from '../../../platform/database/sql.ts';
import { sectionPage, type Section } from './section.ts';

/** What a person may reach, and by what. */
export interface ReachedResource {
  readonly type: ResourceKind;
  readonly id: string;
  readonly isMember: boolean;
  readonly memberRole: AccessRole | null;
  readonly grantRole: AccessRole | null;
  /** Seconds since the epoch. */
  readonly grantExpiresAt: number | null;
}

interface AccessRow {
  readonly kind: number;
  readonly resource_id: string;
  readonly ext_id: string | null;
  readonly is_member: boolean;
  readonly member_role: number | null;
  readonly grant_role: number | null;
  readonly grant_expires_at: number | null;
}

const named = resourceKinds
  .map(
    (kind) =>
      `when ${String(resourceKindNumbers[kind])} then (select r.ext_id from ${kind} r where r.id = a.resource_id)`,
  )
  .join(' ');

/** Memberships and grants, which stand side by side. */
export const reached: Section<ReachedResource> = async (
  em,
  { tenant, organization, user },
  { after, limit },
) => {
  const found = await rows<AccessRow>(
    em,
    `select a.kind, a.resource_id, case a.kind ${named} end as ext_id, a.is_member, a.member_role, a.grant_role,
       extract(epoch from a.grant_expires_at)::float8 as grant_expires_at
     from access a where a.user_id = $1 and a.org_id = $2 and a.api_key_id = $3 and (a.kind, a.resource_id) > ($4::smallint, $5::bigint)
     order by a.kind, a.resource_id limit $6`,
    [user, organization, tenant.id, after?.[0] ?? '0', after?.[1] ?? '0', limit.rows + 1],
  );
  const { rows: page, next } = sectionPage(found, limit, ({ kind, resource_id }) => [
    String(kind),
    resource_id,
  ]);
  return { rows: page.flatMap(reachedOf), next };
};

function reachedOf(row: AccessRow): ReachedResource[] {
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

export interface JoinedGroup {
  readonly organizationUserGroupId: string;
  readonly groupName: string;
}

export const userGroups: Section<JoinedGroup> = async (
  em,
  { tenant, organization, user },
  { after, limit },
) => {
  const found = await rows<JoinedGroup & { readonly id: string }>(
    em,
    `select g.id, g.ext_id as "organizationUserGroupId", g.name as "groupName" from user_group_member m
       cross join lateral (select g.* from user_group g where g.id = m.group_id and g.org_id = $2 offset 0) g
     where m.user_id = $1 and m.api_key_id = $3 and m.group_id > $4::bigint order by m.group_id limit $5`,
    [user, organization, tenant.id, after?.[0] ?? '0', limit.rows + 1],
  );
  const { rows: page, next } = sectionPage(found, limit, ({ id }) => [id]);
  return { rows: page.map(({ id: _id, ...group }) => group), next };
};

/** What a person has said; a channel that is null is decided farther out. */
export interface SaidPreference {
  /** Null for the organization as a whole. */
  readonly documentId: string | null;
  readonly inbox: Level | null;
  readonly email: Level | null;
  readonly slack: Level | null;
}

interface PreferenceRow {
  readonly document_id: string;
  readonly ext_id: string | null;
  readonly inbox: number | null;
  readonly email: number | null;
  readonly slack: number | null;
}

export const preferences: Section<SaidPreference> = async (
  em,
  { tenant, organization, user },
  { after, limit },
) => {
  const found = await rows<PreferenceRow>(
    em,
    `select p.document_id, (select d.ext_id from document d where d.id = p.document_id) as ext_id, p.inbox, p.email, p.slack
     from preference p where p.user_id = $1 and p.org_id = $2 and p.document_id > $3::bigint and p.api_key_id = $4
     order by p.document_id limit $5`,
    [user, organization, after?.[0] ?? '-1', tenant.id, limit.rows + 1],
  );
  const { rows: page, next } = sectionPage(found, limit, ({ document_id }) => [document_id]);
  return { rows: page.flatMap(saidOf), next };
};

const level = (number: number | null): Level | null => (number === null ? null : (levelName(number) ?? null));

const saidOf = ({ document_id, ext_id, inbox, email, slack }: PreferenceRow): SaidPreference[] =>
  document_id !== '0' && ext_id === null
    ? []
    : [{ documentId: ext_id, inbox: level(inbox), email: level(email), slack: level(slack) }];
