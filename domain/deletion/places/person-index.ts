import { row } from '../../../platform/database/sql.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { Person, PersonCounts, PersonCursor, PersonScan, PersonScope, PersonStep } from './place.ts';

/** How rows of a table, `t` in SQL, are found by the person that they hold. */
export interface PersonIndex {
  readonly table: string;
  /** Together unique, and never null. An index begins with them; the first holds the person's surrogate key. */
  readonly columns: readonly [string, ...string[]];
  /** Those of `columns` that are points in time; the others are whole numbers. */
  readonly times?: readonly string[];
  /** SQL: `t` belongs to the tenant `$2`; by default its column says so. */
  readonly ofTenant?: string;
  /** The column of the organization, or SQL for: `t` is in one of the organizations `$3`. */
  readonly organization: { readonly column: string } | { readonly sql: string };
}

/** SQL: `t` belongs to the tenant `$2`, in a form that no index serves: the person's is the one to be used. */
export const tenantHidden = 't.api_key_id + 0 = $2';

/**
 * SQL: `t` is what the scope is about. `$3` is null for all organizations; there are two texts, for each has its own plan.
 * Of a range of one person's rows no index may be used but the person's: one that begins with the organization would be
 * read from end to end, so its column is hidden there.
 */
export function inScope(
  { ofTenant = tenantHidden, organization }: PersonIndex,
  { organizations }: PersonScope,
  rows: 'of people' | 'in range',
): string {
  if (organizations === null) return `${ofTenant} and $3::bigint[] is null`;
  if ('sql' in organization) return `${ofTenant} and ${organization.sql}`;
  return `${ofTenant} and t.${organization.column}${rows === 'in range' ? ' + 0' : ''} = any($3::bigint[])`;
}

/** `$1`, `$2` and `$3`: the people, the tenant, the organizations. */
export const scopeParameters = (scope: PersonScope, users: readonly Person[]): unknown[] => [
  users.map(({ id }) => id),
  scope.tenantId,
  scope.organizations,
];

/** Whom a walk has still before it, the person in whose rows it is first. */
export function usersFrom({ users }: PersonScope, after: PersonCursor | null): readonly Person[] {
  const present = after?.[0];
  return present === undefined ? users : users.slice(users.findIndex(({ id }) => id === present));
}

/**
 * SQL, for a FROM: rows `t` of these people, in the order of the index. In named organizations the index is entered once a
 * person: of a list of people and a list of organizations PostgreSQL might read the latter from end to end.
 */
export function rowsOfPeople(
  index: PersonIndex,
  scope: PersonScope,
  { people, columns, limit }: { readonly people: string; readonly columns: string; readonly limit?: number },
): string {
  const own = index.columns.map((column) => `t.${column}`);
  const [person = '', ...rest] = own;
  const rows = (condition: string, order: readonly string[]): string => `(
    select ${columns} from ${index.table} t where ${condition} and ${inScope(index, scope, 'of people')}
    order by ${order.join(', ')} ${limit === undefined ? 'offset 0' : `limit ${String(limit)}`}) as t`;
  if (scope.organizations === null) return rows(`${person} = any(${people})`, own);
  return `unnest(${people}) as p (id) cross join lateral ${rows(`${person} = p.id`, rest)}`;
}

/** What a step over rows answers, beside what it selects. */
interface Walked {
  /** Rows that were looked at. */
  readonly found: number;
  /** The last of them. */
  readonly place: PersonCursor | null;
}

export interface Walk {
  /** Rows that are looked at. */
  readonly limit: number;
  /** Further columns of `next`. */
  readonly also?: readonly string[];
  /** SQL: common table expressions that do something with `next`. */
  readonly act?: string;
  /** SQL: what is selected. */
  readonly select: string;
}

/** A step that looked at fewer rows than it may was the last one. */
export const stepOf = (walked: Walked | undefined, limit: number, counts: PersonCounts): PersonStep => ({
  counts,
  last: walked === undefined || walked.found < limit ? null : walked.place,
});

/**
 * Runs one statement on the next rows of the people in the order of the index: `next`, with the row's own place as `spot`.
 * Rows of the person in whose midst the walk is are read as a range, those of the others by a list: with a condition on
 * both, PostgreSQL begins anew at that person's first row every time.
 */
export async function walk<Selected extends object>(
  em: EntityManager,
  index: PersonIndex,
  scope: PersonScope,
  after: PersonCursor | null,
  { limit, also = [], act, select }: Walk,
): Promise<(Selected & Walked) | undefined> {
  const { columns, table } = index;
  const own = columns.map((column) => `t.${column}`);
  const order = own.join(', ');
  const selected = ['t.ctid as spot', ...own, ...also.map((column) => `t.${column}`)].join(', ');
  const bounds = (parameter: number): string =>
    columns
      .map((column, at) => `($${String(parameter)}::text[])[${String(at + 1)}]::${typeOf(index, column)}`)
      .join(', ');
  const users = usersFrom(scope, after);
  return row<Selected & Walked>(
    em,
    `with next as materialized (
       select * from (
         (select ${selected} from ${table} t
          where $1::bigint[] is not null and (${order}) > (${bounds(4)}) and (${order}) <= (${bounds(5)}) and ${inScope(index, scope, 'in range')}
          order by ${order} limit ${String(limit)})
         union all
         (select t.* from ${rowsOfPeople(index, scope, { people: '($1::bigint[])[2:]', columns: selected, limit })})) as t limit ${String(limit)})
     ${act === undefined ? '' : `, ${act}`}
     select ${select}, (select count(*)::integer from next) as found,
       (select array[${own.map((column) => `${column}::text`).join(', ')}] from next t
        order by ${own.map((column) => `${column} desc`).join(', ')} limit 1) as place`,
    [...scopeParameters(scope, users), ...range(index, users[0], after)],
  );
}

const typeOf = ({ times = [] }: PersonIndex, column: string): string =>
  times.includes(column) ? 'timestamptz' : 'bigint';

const extremes = {
  bigint: ['-9223372036854775808', '9223372036854775807'],
  timestamptz: ['-infinity', 'infinity'],
} as const;

/** From where the walk stands to the end of the rows of the person there. */
function range(
  index: PersonIndex,
  user: Person | undefined,
  after: PersonCursor | null,
): [PersonCursor, PersonCursor] {
  const edge = (end: 0 | 1): PersonCursor => [
    user?.id ?? '0',
    ...index.columns
      .slice(1)
      .map((column) => extremes[typeOf(index, column) === 'bigint' ? 'bigint' : 'timestamptz'][end]),
  ];
  return [after !== null && after.length === index.columns.length ? after : edge(0), edge(1)];
}

/** Whether the people have any rows. */
export async function anyRows(
  em: EntityManager,
  index: PersonIndex,
  scope: PersonScope,
): Promise<PersonScan> {
  const found = await row<{ any: boolean }>(
    em,
    `select exists (select from ${rowsOfPeople(index, scope, { people: '$1::bigint[]', columns: '1', limit: 1 })}) as any`,
    scopeParameters(scope, scope.users),
  );
  return { any: found?.any ?? false, last: null };
}
