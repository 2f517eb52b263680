import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { walk, WalkedRow, type PersonIndex } from './person-index.ts';
import type { PersonCursor, PersonScope } from './place.ts';

/** Rows a step that reads whole documents; it ends sooner when they are large (bytes as the database stores them). */
const chunk = { rows: 500, bytes: 2_097_152 } as const;

export interface SizedStep {
  /** The rows, each by its columns of the index. */
  readonly places: readonly PersonCursor[];
  readonly last: PersonCursor | null;
}

/** The next rows of the people, `next n` in SQL, no more than the memory of a worker easily holds; always one, if there is any. */
export async function walkBySize(
  em: EntityManager,
  index: PersonIndex,
  scope: PersonScope,
  after: PersonCursor | null,
  /** SQL: the bytes that stand behind a row. */
  stored: RawBuilder<unknown>,
): Promise<SizedStep> {
  const columns = index.columns.map((column: string) => sql.ref(`n.${column}`));
  const texts = columns.map((column) => sql`${column}::text`);
  const walked = await walk(em, index, scope, after, {
    limit: chunk.rows,
    row: SizedRow,
    select: sql`(select json_agg(json_build_array(coalesce((${stored}), 0), ${sql.join(texts)})
      order by ${sql.join(columns)}) from next n) as sized`,
  });
  const sized = walked?.sized ?? [];
  const taken = withinBytes(sized);
  const places = taken.map(([, ...place]) => place);
  const complete = taken.length === sized.length && sized.length < chunk.rows;
  return { places, last: complete ? null : (places.at(-1) ?? null) };
}

const SizedRow = WalkedRow.extend({ sized: z.array(z.tuple([z.number()], z.string())).nullable() });

function withinBytes<Row extends readonly [number, ...string[]]>(sized: readonly Row[]): readonly Row[] {
  let bytes = 0;
  const end = sized.findIndex(([size]) => (bytes += size) > chunk.bytes);
  return end === -1 ? sized : sized.slice(0, Math.max(end, 1));
}
