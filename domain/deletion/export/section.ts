import type { EntityManager } from '../../../platform/database/orm.ts';
import type { PageLimit } from '../../page-limit.ts';
import type { Tenant } from '../../tenancy/tenant.ts';

/** The user to export and the organization, by surrogate keys. */
export interface ExportedPerson {
  readonly tenant: Tenant;
  readonly user: string;
  readonly organization: string;
}

/** The values of a section's order columns. */
export type SectionCursor = readonly string[];

/** A page of one section. */
export interface SectionPage<Row> {
  readonly rows: readonly Row[];
  /** The next page starts after it; undefined at the end. */
  readonly next: SectionCursor | undefined;
  /** Whether the byte limit ended the page. */
  readonly cut?: boolean;
}

/** Reads a page of one kind of personal data. */
export type Section<Row> = (
  em: EntityManager,
  person: ExportedPerson,
  page: { readonly after: SectionCursor | undefined; readonly limit: PageLimit },
) => Promise<SectionPage<Row>>;

/** Makes a page of up to limit + 1 rows: the extra row shows that a next page exists. */
export function sectionPage<Row>(
  found: readonly Row[],
  limit: Pick<PageLimit, 'rows'>,
  cursorOf: (row: Row) => SectionCursor,
): SectionPage<Row> {
  const page = found.slice(0, limit.rows);
  const last = page.at(-1);
  return { rows: page, next: found.length > limit.rows && last !== undefined ? cursorOf(last) : undefined };
}
