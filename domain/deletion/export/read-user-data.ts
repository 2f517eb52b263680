import type { Tenant } from '../../tenancy/tenant.ts';
import type { UserRow } from '../../users/user-row.ts';
import { row } from '../../../platform/database/sql.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { mentions } from './mentions.ts';
import { preferences, reached, userGroups } from './places.ts';
import { activities, agentExecutions, crdtRecords, notifications, notificationsCaused } from './records.ts';
import type { ExportedPerson, Section, SectionPosition } from './section.ts';

/** The places of a person that an export tells of: those of a deletion, but for what is derived from them. */
const sections = {
  activities,
  notifications,
  notificationsCaused,
  mentions,
  reached,
  userGroups,
  preferences,
  agentExecutions,
  crdtRecords,
};

type SectionName = keyof typeof sections;
const names = Object.keys(sections) as SectionName[];

type RowOf<Name extends SectionName> = (typeof sections)[Name] extends Section<infer Row> ? Row : never;

export type UserData = { readonly [Name in SectionName]: readonly RowOf<Name>[] };

/** How far each section was read: where it goes on, `null` where nothing is left. */
export type UserDataPosition = Readonly<Record<SectionName, SectionPosition | null>>;

export interface UserDataPage {
  /** Null for who was never named; read on the first page alone. */
  readonly user: UserRow | null | undefined;
  readonly data: UserData;
  /** Undefined at the end. */
  readonly next: UserDataPosition | undefined;
}

/** Rows of a section on one page. */
const pageSize = 100;

/** Everything that is kept of a person in an organization, every section going on at once. Who or what is not known has nothing. */
export async function readUserData(
  em: EntityManager,
  tenant: Tenant,
  { organizationId, userId }: { readonly organizationId: string; readonly userId: string },
  after: UserDataPosition | undefined,
): Promise<UserDataPage> {
  const found = await row<UserRow & { readonly id: string; readonly organization: string | null }>(
    em,
    `select u.id, u.ext_id, u.name, u.email, u.metadata,
       (select o.id from organization o where o.api_key_id = $1 and o.ext_id = $3) as organization
     from app_user u where u.api_key_id = $1 and u.ext_id = $2`,
    [tenant.id, userId, organizationId],
  );
  const user = after === undefined ? (found ?? null) : undefined;
  if (found === undefined || found.organization === null) return { user, data: nothing, next: undefined };
  const { data, next } = await readSections(
    em,
    { tenant, user: found.id, organization: found.organization },
    after,
  );
  return { user, data, next };
}

const nothing = Object.fromEntries(names.map((name) => [name, []])) as unknown as UserData;

async function readSections(
  em: EntityManager,
  person: ExportedPerson,
  after: UserDataPosition | undefined,
): Promise<{ readonly data: UserData; readonly next: UserDataPosition | undefined }> {
  const data: Record<string, readonly unknown[]> = { ...nothing };
  const next: Record<string, SectionPosition | null> = {};
  for (const name of names) {
    const position = after?.[name];
    next[name] = null;
    if (position === null) continue;
    const section: Section<unknown> = sections[name];
    const page = await section(em, person, { after: position, limit: pageSize });
    data[name] = page.rows;
    next[name] = page.next ?? null;
  }
  const more = Object.values(next).some((position) => position !== null);
  return { data: data as unknown as UserData, next: more ? (next as UserDataPosition) : undefined };
}

/** As a token holds it: a text a section. */
export const writePosition = (position: UserDataPosition): string[] =>
  names.map((name) => JSON.stringify(position[name]));

export function readPosition(written: readonly (string | number)[]): UserDataPosition {
  const positions = names.map((name, at) => [name, JSON.parse(String(written[at] ?? 'null')) as unknown]);
  return Object.fromEntries(positions) as UserDataPosition;
}
