import { p, raw, type EntityClass, type EntitySchema, type PropertyChain } from '@mikro-orm/core';
import { maxIdBytes } from './id-size.ts';

/* Column types and partitions that entity definitions share. */

/** Surrogate key that PostgreSQL generates. A string, in cursors and workflow inputs, too. */
export const surrogateKey = () => p.bigint('string').primary().autoincrement().generated('identity');

/** Foreign key: the surrogate key of a row of `target`. */
export const reference = <Column extends string>(
  target: EntitySchema | EntityClass<unknown>,
  column: Column,
  onDelete: 'no action' | 'cascade' = 'no action',
) =>
  p
    .manyToOne(target as never)
    .mapToPk()
    .fieldName(column)
    .index(false)
    .updateRule('no action')
    .deleteRule(onDelete) as unknown as PropertyChain<string, { fieldName: Column }>;

/** Type of a reference to a row of the same table. Inference would be circular. */
export type ParentReference = PropertyChain<string, { fieldName: 'parent_id'; nullable: true }>;

/** An id that customers choose: 1 to 1,000 bytes, compared byte by byte. */
export const customerId = (column: string) =>
  p
    .text()
    .collation('C')
    .check(`octet_length(${column}) >= 1 and octet_length(${column}) <= ${String(maxIdBytes)}`);

/** Text compared byte by byte, in the order of its UTF-8 bytes. */
export const byteText = () => p.text().collation('C');

/** `timestamptz`: microseconds in PostgreSQL, milliseconds in JavaScript. */
export const moment = () => p.datetime().columnType('timestamptz');

export const bytes = () => p.blob().$type<Buffer>();

/** `json`: keeps the text byte for byte. */
export const json = <Value>() => p.json().columnType('json').$type<Value>();

/** `bigint[]` of surrogate keys. */
export const keys = () => p.array(String).columnType('bigint[]');

/** A column that PostgreSQL computes and stores. */
export const computed = (expression: string) =>
  p.text().generated(`(${expression}) stored`) as unknown as PropertyChain<string, { defaultRaw: string }>;

/**
 * Transaction time of PostgreSQL, to assign to a column. Readable after the flush; in a table with a `computed` column,
 * only after `em.refresh`.
 */
export const now = (): Date => raw<Date>('now()');

/** Creation time of the row, by PostgreSQL's clock. Readable after the flush. */
export const createdAt = () => moment().defaultRaw('now()');

/** Daily partitions, which workers create and drop. The default partition takes rows of days without one. */
export const dailyPartitions = (table: string, column: string) => ({
  type: 'range' as const,
  expression: column,
  partitions: [{ name: `${table}_default`, values: 'default' }],
});
