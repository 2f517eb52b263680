import { sql, type RawBuilder } from 'kysely';

/** How a filter compares a metadata member with its value. */
export const filterOperators = [
  '==',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  'in',
  'not-in',
  'array-contains',
  'array-contains-any',
] as const;
export type FilterOperator = (typeof filterOperators)[number];

/** Operators whose value is a list. */
export const listOperators: ReadonlySet<FilterOperator> = new Set(['in', 'not-in', 'array-contains-any']);

type FilterScalar = string | number | boolean;

/** A condition on one metadata member. Types are never converted; a document without the member matches nothing. */
export interface DocumentFilter {
  readonly key: string;
  readonly operator: FilterOperator;
  readonly value: FilterScalar | readonly FilterScalar[];
}

/**
 * SQL: whether the metadata of a document `d` meets every filter. The text does not depend on the filters, so PostgreSQL
 * prepares it once. Metadata is decompressed once for all filters: `offset 0` keeps its copy.
 */
export const meetsFilters = (filters: readonly DocumentFilter[]): RawBuilder<boolean> =>
  sql<boolean>`not exists (
    select from (select d.metadata || '{}'::jsonb as metadata offset 0) as o
      cross join jsonb_array_elements(${JSON.stringify(filters)}::jsonb) as f
      cross join lateral (select o.metadata -> (f ->> 'key') as member, f -> 'value' as wanted) as m
      cross join lateral (select case jsonb_typeof(member) when 'array' then member else '[]' end as elements) as e
    where not coalesce(case f ->> 'operator'
      when '==' then member = wanted
      when '!=' then member <> wanted
      when '<' then jsonb_typeof(member) = jsonb_typeof(wanted) and member < wanted
      when '<=' then jsonb_typeof(member) = jsonb_typeof(wanted) and member <= wanted
      when '>' then jsonb_typeof(member) = jsonb_typeof(wanted) and member > wanted
      when '>=' then jsonb_typeof(member) = jsonb_typeof(wanted) and member >= wanted
      when 'in' then exists (select from jsonb_array_elements(wanted) as one where one = member)
      when 'not-in' then member is not null
        and not exists (select from jsonb_array_elements(wanted) as one where one = member)
      when 'array-contains' then exists (select from jsonb_array_elements(elements) as one where one = wanted)
      when 'array-contains-any' then exists (
        select from jsonb_array_elements(elements) as one join jsonb_array_elements(wanted) as other on other = one)
    end, false))`;
