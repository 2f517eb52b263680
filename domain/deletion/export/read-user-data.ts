import type { EntityManager } from '../../../platform/database/orm.ts';
import { namesOf } from '../../names-of.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import type { UserRow } from '../../members/user-row.ts';
import { tablesOf } from '../../tables.ts';
import type { PageLimit } from '../../page-limit.ts';
import { mentions } from './mentions.ts';
import { namedIn } from './named-in.ts';
import { deliveries } from './deliveries.ts';
import { waitingMessages } from './waiting-messages.ts';
import { namedRecipients } from './named-recipients.ts';
import { commentViews } from './comment-views.ts';
import { commentAnnotations, comments, reactions } from './comments.ts';
import { recordings } from './recordings.ts';
import { preferences, resources, userGroups } from './access.ts';
import { activities, agentExecutions, crdtRecords, notifications, notificationsCaused } from './records.ts';
import type { ExportedPerson, Section, SectionPage, SectionCursor } from './section.ts';

/**
 * The sections of an export: every store of personal data except events, addresses and derived ones. Page tokens depend
 * on their order, so a new section is the last one.
 */
const sections = {
  activities,
  notifications,
  notificationsCaused,
  mentions,
  namedIn,
  resources,
  userGroups,
  preferences,
  agentExecutions,
  crdtRecords,
  recordings,
  commentAnnotations,
  comments,
  reactions,
  deliveries,
  commentViews,
  namedRecipients,
  waitingMessages,
};

type SectionName = keyof typeof sections;
const names = namesOf(sections);

type RowOf<Name extends SectionName> = (typeof sections)[Name] extends Section<infer Row> ? Row : never;

/** The rows of each section on one page. */
export type UserData = { readonly [Name in SectionName]: readonly RowOf<Name>[] };

/** The cursor of each section; `null` for a section that is read to its end. */
export type UserDataCursor = Readonly<Record<SectionName, SectionCursor | null>>;

/** A page of an export. */
export interface UserDataPage {
  /** Null for an unknown user; undefined after the first page. */
  readonly user: UserRow | null | undefined;
  readonly data: UserData;
  /** Undefined at the end. */
  readonly next: UserDataCursor | undefined;
  /** Whether the byte limit ended the page. */
  readonly cut: boolean;
}

/** Max bytes of one row, by section, for sections without free JSON. The other sections limit their bytes themselves. */
const maxRowBytes: Partial<Record<SectionName, number>> = {
  mentions: 4_096,
  namedIn: 8_192,
  resources: 4_096,
  userGroups: 8_192,
  preferences: 4_096,
  agentExecutions: 65_536,
  crdtRecords: 8_192,
  commentViews: 4_096,
  namedRecipients: 4_096,
  waitingMessages: 4_096,
};

/** Rows of a section on one page. */
const pageSize = 100;

/** Sections whose arrays in a response end with activity logs, which get the rest of the 100 rows. */
const beforeActivities = ['comments', 'reactions', 'recordings'] as const satisfies SectionName[];

/** Reads activity logs last. */
const readingOrder: readonly SectionName[] = [...names.filter((name) => name !== 'activities'), 'activities'];

const maxRowsOf = (name: SectionName, data: Readonly<Record<string, readonly unknown[]>>): number =>
  name === 'activities'
    ? pageSize - Math.max(...beforeActivities.map((before) => data[before]?.length ?? 0))
    : pageSize;

/**
 * Reads a page of all personal data of a user in an organization. Sections are empty for an unknown user or
 * organization.
 */
export async function readUserData(
  em: EntityManager,
  tenant: Tenant,
  { organizationId, userId }: { readonly organizationId: string; readonly userId: string },
  after: UserDataCursor | undefined,
  maxBytes: number,
): Promise<UserDataPage> {
  const found = await tablesOf(em)
    .selectFrom('app_user as u')
    .select(['u.id', 'u.ext_id', 'u.name', 'u.email', 'u.metadata'])
    .select((row) =>
      row
        .selectFrom('organization as o')
        .select('o.id')
        .where('o.api_key_id', '=', tenant.id)
        .where('o.ext_id', '=', organizationId)
        .as('organization'),
    )
    .where('u.api_key_id', '=', tenant.id)
    .where('u.ext_id', '=', userId)
    .$narrowType<{ ext_id: string }>()
    .executeTakeFirst();
  const user = after === undefined ? (found ?? null) : undefined;
  if (found === undefined || found.organization === null)
    return { user, data: nothing, next: undefined, cut: false };
  const person = { tenant, user: found.id, organization: found.organization };
  return { user, ...(await readSections(em, person, after, maxBytes)) };
}

const nothing = Object.fromEntries(names.map((name) => [name, []])) as unknown as UserData;

const noRoom: SectionPage<unknown> = { rows: [], next: undefined, cut: true };

/** Limits a section to the remaining bytes. The first section with rows always returns one. */
function limitOf(
  name: SectionName,
  {
    maxRows,
    bytes,
    isFirst,
  }: { readonly maxRows: number; readonly bytes: number; readonly isFirst: boolean },
): PageLimit {
  const rowBytes = maxRowBytes[name] ?? 1;
  const rows = Math.max(0, Math.min(maxRows, Math.floor(bytes / rowBytes)));
  return { rows, bytes, aloneBytes: isFirst ? Number.MAX_SAFE_INTEGER : bytes };
}

async function readSections(
  em: EntityManager,
  person: ExportedPerson,
  after: UserDataCursor | undefined,
  maxBytes: number,
): Promise<Omit<UserDataPage, 'user'>> {
  const data: Record<string, readonly unknown[]> = { ...nothing };
  const next: Record<string, SectionCursor | null> = {};
  let bytes = maxBytes;
  let cut = false;
  for (const name of readingOrder) {
    const position = after?.[name];
    next[name] = null;
    if (position === null) continue;
    const section: Section<unknown> = sections[name];
    const maxRows = maxRowsOf(name, data);
    if (maxRows === 0) {
      next[name] = position ?? [];
      continue;
    }
    const limit = limitOf(name, { maxRows, bytes, isFirst: bytes === maxBytes });
    const page = limit.rows === 0 ? noRoom : await section(em, person, { after: position, limit });
    const cutHere = page.cut ?? (limit.rows < maxRows && page.next !== undefined);
    data[name] = page.rows;
    // A section without room starts on the next page.
    next[name] = page.next ?? (cutHere ? (position ?? []) : null);
    cut ||= cutHere;
    if (page.rows.length > 0) bytes -= Buffer.byteLength(JSON.stringify(page.rows));
  }
  const more = Object.values(next).some((position) => position !== null);
  return { data: data as unknown as UserData, next: more ? (next as UserDataCursor) : undefined, cut };
}

/** Writes a position for a page token, as one text per section. */
export const writePosition = (position: UserDataCursor): string[] =>
  names.map((name) => JSON.stringify(position[name]));

/** Reads what `writePosition` wrote. A section without a text is read to its end. */
export function readPosition(written: readonly (string | number)[]): UserDataCursor {
  const positions = names.map((name, at) => [name, JSON.parse(String(written[at] ?? 'null')) as unknown]);
  return Object.fromEntries(positions) as UserDataCursor;
}
