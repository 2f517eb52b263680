import { p, raw, type EntityClass, type EntitySchema, type PropertyChain } from '@mikro-orm/core';

/* What the definitions of entities have in common: the schema's types of columns, and its partitions. */

/** Surrogate key that PostgreSQL generates: text, as cursors and the inputs of workflows hold it. Nobody calculates with it. */
export const surrogateKey = () => p.bigint('string').primary().autoincrement().generated('identity');

/** Foreign key: holds the surrogate key of a row of `target`, and is typed as that. */
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

/** The type of a reference to a row of the same table: inferred, it would depend on itself. */
export type ParentReference = PropertyChain<string, { fieldName: 'parent_id'; nullable: true }>;

/** An id that customers choose: compared byte by byte, 1 to 1,000 bytes. */
export const customerId = (column: string) =>
  p.text().collation('C').check(`octet_length(${column}) >= 1 and octet_length(${column}) <= 1000`);

/** Text compared byte by byte, in the order of its UTF-8 bytes. */
export const byteText = () => p.text().collation('C');

/** `timestamptz`, to the microsecond in PostgreSQL, to the millisecond in JavaScript. */
export const moment = () => p.datetime().columnType('timestamptz');

export const bytes = () => p.blob().$type<Buffer>();

/** `json`: keeps the text as it was written. */
export const json = <Value>() => p.json().columnType('json').$type<Value>();

/** `bigint[]` of surrogate keys. */
export const keys = () => p.array(String).columnType('bigint[]');

/** A column that PostgreSQL computes and stores. */
export const computed = (expression: string) =>
  p.text().generated(`(${expression}) stored`) as unknown as PropertyChain<string, { defaultRaw: string }>;

/** The time of the transaction by PostgreSQL's clock, to be assigned to a column: known once it is flushed. */
export const now = (): Date => raw<Date>('now()');

/** When the row was made: known before it is written. */
export const createdAt = () =>
  moment()
    .onCreate(() => new Date())
    .defaultRaw('now()');

/** Partitions by day, which workers make and drop; the default one takes what no day has yet. */
export const dailyPartitions = (table: string, column: string) => ({
  type: 'range' as const,
  expression: column,
  partitions: [{ name: `${table}_default`, values: 'default' }],
});
