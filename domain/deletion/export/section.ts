import type { PageLimit } from '../../page-limit.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';

/** Surrogate keys. */
export interface ExportedPerson {
  readonly tenant: Tenant;
  readonly user: string;
  readonly organization: string;
}

/** The values of the columns that a section is ordered by. */
export type SectionPosition = readonly string[];

export interface SectionPage<Row> {
  readonly rows: readonly Row[];
  /** Behind which the next page starts; undefined at the end. */
  readonly next: SectionPosition | undefined;
  /** Bytes ended the page. */
  readonly cut?: boolean;
}

/** One kind of what is kept of a person, in pages. */
export type Section<Row> = (
  em: EntityManager,
  person: ExportedPerson,
  page: { readonly after: SectionPosition | undefined; readonly limit: PageLimit },
) => Promise<SectionPage<Row>>;

/** A page of rows that were read one beyond the limit: that one says whether there is more. */
export function sectionPage<Row>(
  found: readonly Row[],
  limit: Pick<PageLimit, 'rows'>,
  position: (row: Row) => SectionPosition,
): SectionPage<Row> {
  const page = found.slice(0, limit.rows);
  const last = page.at(-1);
  return { rows: page, next: found.length > limit.rows && last !== undefined ? position(last) : undefined };
}
