import { sql } from 'kysely';
import type { Orm } from '../../platform/database/orm.ts';
import { retryConflicts } from '../../platform/database/retry-conflicts.ts';
import { changedBy, rowsOf } from '../../platform/database/statements.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { boundedRows } from './bounded-rows.ts';
import { encryptedColumns, SecretRow, type EncryptedColumn } from './encrypted-columns.ts';

/** The result for one column. */
export interface RotatedColumn {
  readonly table: string;
  readonly column: string;
  /** Number of secrets encrypted again with the first key. */
  readonly reencrypted: number;
  /** Number of secrets that a process with another first key keeps writing. */
  readonly left: number;
}

/** Max rows of a page. It ends earlier by the bytes of its secrets. */
const maxRows = 500;
const maxPasses = 5;

/**
 * Encrypts every secret at rest with the first key of the ring; skips secrets that already have it. Safe while the API
 * runs: it updates only unchanged rows. Every process must know the key first.
 */
export async function rotateSecrets(
  orm: Orm,
  keyRing: KeyRing,
  { columns = encryptedColumns, onColumn }: RotationOptions = {},
): Promise<readonly RotatedColumn[]> {
  const rotated: RotatedColumn[] = [];
  for (const column of columns) {
    const result = await rotateColumn(orm, keyRing, column);
    onColumn?.(result);
    rotated.push(result);
  }
  return rotated;
}

export interface RotationOptions {
  readonly columns?: readonly EncryptedColumn[];
  readonly onColumn?: (column: RotatedColumn) => void;
}

/** Scans the column until no stale secret remains, because a process may write during a scan. */
async function rotateColumn(orm: Orm, keyRing: KeyRing, column: EncryptedColumn): Promise<RotatedColumn> {
  const { table, column: name } = column;
  let reencrypted = 0;
  for (let pass = 1; ; pass += 1) {
    const { stale, changed } = await rotatePass(orm, keyRing, column);
    reencrypted += changed;
    if (stale === 0 || pass === maxPasses) {
      return { table, column: name, reencrypted, left: stale - changed };
    }
  }
}

async function rotatePass(orm: Orm, keyRing: KeyRing, column: EncryptedColumn) {
  const names = Object.keys(column.key);
  const keyId = Buffer.from(keyRing.currentKeyId, 'utf8');
  let stale = 0;
  let changed = 0;
  let after: unknown[] = [];
  for (;;) {
    const page = await rowsOf(orm.em.fork(), SecretRow, pageOf(column, keyId, after));
    const found = page.filter(({ sealed }) => sealed !== null);
    stale += found.length;
    if (found.length > 0) changed += await reencrypt(orm, keyRing, column, found);
    const last = page.at(-1);
    if (last === undefined) return { stale, changed };
    after = names.map((name) => last[name]);
  }
}

/** Returns the number of rows that were still unchanged. */
async function reencrypt(
  orm: Orm,
  keyRing: KeyRing,
  column: EncryptedColumn,
  found: readonly SecretRow[],
): Promise<number> {
  const stale = found.map(({ sealed }) => sealed as Buffer);
  const fresh = found.map((row, index) => {
    const context = column.context(row);
    return keyRing.encrypt(keyRing.decryptBytes(stale[index] ?? Buffer.alloc(0), context), context);
  });
  const change = changeOf(column, found, { stale, fresh });
  return retryConflicts(async () => changedBy(orm.em.fork(), change));
}

const keyOf = ({ key }: EncryptedColumn) => sql.join(Object.keys(key).map((name) => sql.ref(name)));

/** Names come from `encryptedColumns`, never from input. A page covers a range of the primary key. */
function pageOf(encrypted: EncryptedColumn, keyId: Buffer, after: readonly unknown[]) {
  const column = sql.ref(encrypted.column);
  const selected = [...new Set([...Object.keys(encrypted.key), ...encrypted.reads])].map((name) =>
    sql.ref(name),
  );
  const position = Object.values(encrypted.key).map((type, index) => sql`${after[index]}::${sql.raw(type)}`);
  const behind = after.length === 0 ? sql`` : sql`where (${keyOf(encrypted)}) > (${sql.join(position)})`;
  const rows = sql`select ${sql.join([...selected, column])} from ${sql.table(encrypted.table)} ${behind}
    order by ${keyOf(encrypted)} limit ${maxRows}`;
  const page = boundedRows(rows, { column: encrypted.column, order: keyOf(encrypted) });
  return sql`select ${sql.join(selected)},
      case when substr(${column}, 3, get_byte(${column}, 1)) <> ${keyId}::bytea then ${column} end as sealed
    from ${page} page order by ${keyOf(encrypted)}`;
}

/** Updates the rows that still hold the value read. */
function changeOf(
  encrypted: EncryptedColumn,
  found: readonly SecretRow[],
  { stale, fresh }: { readonly stale: readonly Buffer[]; readonly fresh: readonly Buffer[] },
) {
  const sent = Object.entries(encrypted.key).map(
    ([name, type]) => sql`${found.map((row) => row[name])}::${sql.raw(type)}[]`,
  );
  const same = Object.keys(encrypted.key).map((name) => sql`t.${sql.ref(name)} = v.${sql.ref(name)}`);
  return sql`update ${sql.table(encrypted.table)} t set ${sql.ref(encrypted.column)} = v.fresh
    from unnest(${sql.join(sent)}, ${stale}::bytea[], ${fresh}::bytea[]) as v (${keyOf(encrypted)}, stale, fresh)
    where ${sql.join(same, sql` and `)} and t.${sql.ref(encrypted.column)} = v.stale`;
}
