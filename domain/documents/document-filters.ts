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
 * Whether `column` (jsonb) meets every filter: one text for all filters, so that the statement is prepared once.
 */
export const meetsFilters = (column: string, filters: readonly DocumentFilter[]): RawBuilder<boolean> =>
  sql<boolean>`not exists (
    select from jsonb_array_elements(${JSON.stringify(filters)}::jsonb) as f where not ${sql.raw(matchesFilter(column))})`;

/** SQL: whether `column` meets the filter `f`. */
function matchesFilter(column: string): string {
  const member = `${column} -> (f ->> 'key')`;
  const value = `f -> 'value'`;
  const sameType = `jsonb_typeof(${member}) = jsonb_typeof(${value})`;
  const isOneOf = `exists (select from jsonb_array_elements(${value}) as one where one = ${member})`;
  const elements = `jsonb_array_elements(case jsonb_typeof(${member}) when 'array' then ${member} else '[]' end)`;
  return `coalesce(case f ->> 'operator'
      when '==' then ${member} = ${value}
      when '!=' then ${member} <> ${value}
      when '<' then ${sameType} and ${member} < ${value}
      when '<=' then ${sameType} and ${member} <= ${value}
      when '>' then ${sameType} and ${member} > ${value}
      when '>=' then ${sameType} and ${member} >= ${value}
      when 'in' then ${isOneOf}
      when 'not-in' then ${member} is not null and not ${isOneOf}
      when 'array-contains' then exists (select from ${elements} as one where one = ${value})
      when 'array-contains-any' then exists (
        select from ${elements} as one join jsonb_array_elements(${value}) as wanted on wanted = one)
    end, false)`;
}
