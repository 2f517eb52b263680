import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { boundedRows } from './bounded-rows.ts';
import { encryptedColumns, SecretRow, type EncryptedColumn } from './encrypted-columns.ts';

/** The number of secrets of a column that were read, and of those that cannot be decrypted. */
export interface CheckedColumn {
  readonly name: string;
  readonly read: number;
  readonly unreadable: number;
}

/**
 * Max rows at each end of a column's primary key. The oldest may be encrypted with a removed key, the newest by a
 * process with another key.
 */
const sampleSize = 100;

/** Decrypts a sample of every encrypted column. */
export async function checkSecrets(em: EntityManager, keyRing: KeyRing): Promise<CheckedColumn[]> {
  const checked: CheckedColumn[] = [];
  for (const column of encryptedColumns) {
    const rows = await rowsOf(em, SecretRow, sampleOf(column));
    const sealed = rows.filter((row) => Buffer.isBuffer(row['sealed']));
    checked.push({
      name: `${column.table}.${column.column}`,
      read: sealed.length,
      unreadable: sealed.filter((row) => !isReadable(row, column, keyRing)).length,
    });
  }
  return checked;
}

/** Names come from `encryptedColumns`, never from input. */
function sampleOf({ table, column, key, reads }: EncryptedColumn) {
  const names = Object.keys(key);
  const selected = [...new Set([...names, ...reads])].map((name) => sql.ref(name));
  const end = (direction: 'asc' | 'desc') => {
    const order = names.map((name) => sql`${sql.ref(name)} ${sql.raw(direction)}`);
    const rows = sql`select ${sql.join(selected)}, ${sql.ref(column)} as sealed from ${sql.table(table)}
      order by ${sql.join(order)} limit ${sql.lit(sampleSize)}`;
    const sample = boundedRows(rows, { column: 'sealed', order: sql.join(order) });
    return sql`select ${sql.join([...selected, sql.ref('sealed')])} from ${sample} sample`;
  };
  return sql`${end('asc')} union all ${end('desc')}`;
}

function isReadable(row: SecretRow, column: EncryptedColumn, keyRing: KeyRing): boolean {
  try {
    keyRing.decryptBytes(row['sealed'] as Buffer, column.context(row));
    return true;
  } catch {
    return false;
  }
}
