import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { RowDeclaration } from '../../../platform/database/received-rows.ts';
import { onlyRowOf } from '../../../platform/database/statements.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { maxBigint, minBigint } from '../../bigint-range.ts';
import type { Tables } from '../../tables.ts';
import type {
  Person,
  PersonalDataCounts,
  StoreCursor,
  StoreScan,
  PersonScope,
  StoreStep,
} from './personal-data-store.ts';

/** An index by which the rows of a table, `t` in SQL, are found by person. */
export type PersonIndex = { [Table in keyof Tables]: IndexOf<Table, keyof Tables[Table]> }[keyof Tables];

interface IndexOf<Table, Column> {
  readonly table: Table;
  /** The leading columns of an index: unique together, never null. The first is the person's surrogate key. */
  readonly columns: readonly [Column, ...Column[]];
  /** Those of `columns` that are timestamps; the others are integers. */
  readonly times?: readonly Column[];
  /** SQL: `t` belongs to the tenant; by default `t.api_key_id`. */
  readonly ofTenant?: (scope: PersonScope) => RawBuilder<unknown>;
  /** The column of the organization, or SQL: `t` is in one of the organizations. */
  readonly organization:
    | { readonly column: Column }
    | { readonly sql: (organizations: RawBuilder<unknown>, scope: PersonScope) => RawBuilder<unknown> };
  /**
   * Whether a batch in named organizations selects its rows before it looks up their organization in another table.
   * Otherwise a statement could read all rows of a person. The lookup may leave few rows or none; further batches may
   * still follow.
   */
  readonly examinesRows?: true;
}

/** SQL: `t` belongs to the tenant, in a form that no index serves, so that the plan uses the person's index. */
export const unindexedTenant = ({ tenantId }: PersonScope): RawBuilder<unknown> =>
  sql`t.api_key_id + 0 = ${tenantId}`;

/**
 * SQL: `t` is in the scope. All organizations and named organizations have separate texts, so each has its own plan.
 * In a range the organization is unindexed too: PostgreSQL might otherwise scan a whole index that begins with it.
 */
export function inScope(
  { ofTenant = unindexedTenant, organization }: PersonIndex,
  scope: PersonScope,
  rows: 'of people' | 'in range',
): RawBuilder<unknown> {
  if (scope.organizations === null) return ofTenant(scope);
  const named = sql`any(${scope.organizations}::bigint[])`;
  if ('sql' in organization) return sql`${ofTenant(scope)} and ${organization.sql(named, scope)}`;
  const column = sql.ref(`t.${organization.column}`);
  return sql`${ofTenant(scope)} and ${rows === 'in range' ? sql`${column} + 0` : column} = ${named}`;
}

/** SQL: any of these people. */
export const anyOfPeople = (people: readonly Person[]): RawBuilder<unknown> =>
  sql`any(${people.map(({ id }) => id)}::bigint[])`;

/** The people whose rows are not all processed: from the person of the cursor on, who may have left the scope meanwhile. */
export function remainingUsers({ users }: PersonScope, after: StoreCursor | null): readonly Person[] {
  const present = after?.[0];
  return present === undefined ? users : users.filter(({ id }) => BigInt(id) >= BigInt(present));
}

/** SQL: the columns of the index. */
const ownColumns = ({ columns }: PersonIndex): RawBuilder<unknown>[] =>
  columns.map((column: string) => sql.ref(`t.${column}`));

/**
 * SQL for a FROM clause: rows `t` of these people in index order. In named organizations it searches the index once per
 * person: given two lists, PostgreSQL might scan all rows of the organizations.
 */
export function rowsOfPeople(
  index: PersonIndex,
  scope: PersonScope,
  people: readonly Person[],
  { columns, limit }: { readonly columns: RawBuilder<unknown>; readonly limit?: number },
): RawBuilder<unknown> {
  const own = ownColumns(index);
  const [person, ...rest] = own;
  const rows = (condition: RawBuilder<unknown>, order: RawBuilder<unknown>[]): RawBuilder<unknown> => sql`(
    select ${columns} from ${sql.table(index.table)} t where ${condition} and ${inScope(index, scope, 'of people')}
    order by ${sql.join(order)} ${limit === undefined ? sql`offset 0` : sql`limit ${sql.lit(limit)}`}) as t`;
  if (scope.organizations === null) return rows(sql`${person} = ${anyOfPeople(people)}`, own);
  const each = sql`unnest(${people.map(({ id }) => id)}::bigint[]) as p (id)`;
  const order = rest.length === 0 ? own : rest;
  return sql`${each} cross join lateral ${rows(sql`${person} = p.id`, order)}`;
}

/** Every batch returns the number of rows it examined and the cursor of the last one. */
export const BatchRow = z.strictObject({ found: z.number(), cursor: z.array(z.string()).nullable() });
type Batch = z.infer<typeof BatchRow>;

/** The statement of a batch, see `runBatch`. */
export interface BatchStatement<Row> {
  /** Max rows examined. */
  readonly limit: number;
  /** `BatchRow` with the selected columns. */
  readonly row: RowDeclaration<Row>;
  /** SQL: further columns of `next`. */
  readonly also?: RawBuilder<unknown>;
  /** SQL: common table expressions that modify the rows of `next`. */
  readonly act?: RawBuilder<unknown>;
  /** SQL: the selected columns. */
  readonly select?: RawBuilder<unknown>;
}

/** The step of a batch. A batch smaller than its limit is the last one. */
export const stepOf = (batch: Batch, limit: number, counts: PersonalDataCounts): StoreStep => ({
  counts,
  last: batch.found < limit ? null : batch.cursor,
});

/**
 * Runs one statement on the next rows of the people in index order: `next`, with the row's ctid as `tid`. Rows of the
 * cursor's person are read as a range, the others by a list. With one condition for both, PostgreSQL would start each
 * batch at that person's first row.
 */
export async function runBatch<Row extends Batch>(
  em: EntityManager,
  index: PersonIndex,
  scope: PersonScope,
  after: StoreCursor | null,
  { limit, row, also, act, select }: BatchStatement<Row>,
): Promise<Row> {
  const own = ownColumns(index);
  const order = sql.join(own);
  const columns = sql`t.ctid as tid, ${order}${also === undefined ? sql`` : sql`, ${also}`}`;
  const [first, ...others] = remainingUsers(scope, after);
  const [from, to] = range(index, first, after);
  const maxRows = sql.lit(limit);
  const examines = scope.organizations !== null && index.examinesRows === true;
  const taken = examines ? everyRow(index) : index;
  const rows = sql`
       select * from (
         (select ${columns} from ${sql.table(index.table)} t
          where (${order}) > (${from}) and (${order}) <= (${to}) and ${inScope(taken, scope, 'in range')}
          order by ${order} limit ${maxRows})
         union all
         (select t.* from ${rowsOfPeople(taken, scope, others, { columns, limit })})) as t limit ${maxRows}`;
  const next = sql`select t.* from examined t where ${inScope(index, scope, 'in range')}`;
  const examined = sql.table(examines ? 'examined' : 'next');
  return onlyRowOf(
    em,
    row,
    sql`with ${examined} as materialized (${rows})
     ${examines ? sql`, next as materialized (${next})` : sql``}
     ${act === undefined ? sql`` : sql`, ${act}`}
     select ${select === undefined ? sql`` : sql`${select},`} (select count(*)::integer from ${examined}) as found,
       (select array[${sql.join(own.map((column) => sql`${column}::text`))}] from ${examined} t
        order by ${sql.join(own.map((column) => sql`${column} desc`))} limit 1) as cursor`,
  );
}

/** The index without a condition on its rows. */
const everyRow = (index: PersonIndex): PersonIndex => ({
  ...index,
  ofTenant: () => sql`true`,
  organization: { sql: () => sql`true` },
});

const typesOf = ({ columns, times = [] }: PersonIndex): ('bigint' | 'timestamptz')[] =>
  columns.map((column: string) => ((times as readonly string[]).includes(column) ? 'timestamptz' : 'bigint'));

const extremes = {
  bigint: [minBigint, maxBigint],
  timestamptz: ['-infinity', 'infinity'],
} as const;

/**
 * SQL: the bounds of the person's remaining rows, from the cursor if it is in them. A cursor of a person who has left the
 * scope is no bound: the range would have the rows of all users in between.
 */
function range(
  index: PersonIndex,
  user: Person | undefined,
  after: StoreCursor | null,
): RawBuilder<unknown>[] {
  const types = typesOf(index);
  const edge = (end: 0 | 1): StoreCursor => [
    user?.id ?? '0',
    ...types.slice(1).map((type) => extremes[type][end]),
  ];
  const from = after?.[0] === user?.id && after?.length === types.length ? after : edge(0);
  return [from, edge(1)].map((position) =>
    sql.join(types.map((type, at) => sql`${position[at]}::${sql.raw(type)}`)),
  );
}

/** Whether any row of the people exists. */
export async function hasRows(em: EntityManager, index: PersonIndex, scope: PersonScope): Promise<StoreScan> {
  const rows = rowsOfPeople(index, scope, scope.users, { columns: sql`1`, limit: 1 });
  const { any } = await onlyRowOf(em, AnyRow, sql`select exists (select from ${rows}) as any`);
  return { any, last: null };
}

const AnyRow = z.strictObject({ any: z.boolean() });
