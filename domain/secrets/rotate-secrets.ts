import { classifyDatabaseError } from '../../platform/database/failures.ts';
import type { Orm } from '../../platform/database/orm.ts';
import { rows } from '../../platform/database/sql.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { encryptedColumns, type EncryptedColumn, type SecretRow } from './encrypted-columns.ts';

/** How it went for one column. */
export interface RotatedColumn {
  readonly table: string;
  readonly column: string;
  /** Secrets that got the first key now. */
  readonly reencrypted: number;
  /** Secrets that a process with another first key went on writing. */
  readonly left: number;
}

const chunkSize = 500;
const mostPasses = 5;
const conflictTries = 4;

/**
 * Seals every secret at rest with the first key of the ring. Begins again where it was stopped, as it passes over what
 * has that key; safe beside a running API, as it changes only what it read. Every other process must know the key first.
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

/** Passes over the column until one finds nothing to do: what was changed during a pass is found by the next. */
async function rotateColumn(orm: Orm, keyRing: KeyRing, column: EncryptedColumn): Promise<RotatedColumn> {
  const { table, column: name } = column;
  let reencrypted = 0;
  for (let pass = 1; ; pass += 1) {
    const { stale, changed } = await passOver(orm, keyRing, column);
    reencrypted += changed;
    if (stale === 0 || pass === mostPasses) {
      return { table, column: name, reencrypted, left: stale - changed };
    }
  }
}

async function passOver(orm: Orm, keyRing: KeyRing, column: EncryptedColumn) {
  const statements = statementsOf(column);
  const names = Object.keys(column.key);
  const keyId = Buffer.from(keyRing.currentKeyId, 'utf8');
  let stale = 0;
  let changed = 0;
  let after: unknown[] = [];
  for (;;) {
    const page = await rows<SecretRow>(
      orm.em.fork(),
      after.length === 0 ? statements.first : statements.next,
      [keyId, chunkSize, ...after],
    );
    const found = page.filter(({ sealed }) => sealed !== null);
    stale += found.length;
    if (found.length > 0) changed += await reseal(orm, keyRing, column, found);
    const last = page.at(-1);
    if (last === undefined || page.length < chunkSize) return { stale, changed };
    after = names.map((name) => last[name]);
  }
}

/** How many of the rows still held what was read. */
async function reseal(
  orm: Orm,
  keyRing: KeyRing,
  column: EncryptedColumn,
  found: readonly SecretRow[],
): Promise<number> {
  const stale = found.map(({ sealed }) => sealed as Buffer);
  const fresh = found.map((row, index) => {
    const place = column.place(row);
    return keyRing.encrypt(keyRing.decryptBytes(stale[index] ?? Buffer.alloc(0), place), place);
  });
  const keys = Object.keys(column.key).map((name) => found.map((row) => row[name]));
  const { change } = statementsOf(column);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await rows(orm.em.fork(), change, [...keys, stale, fresh])).length;
    } catch (error) {
      if (attempt === conflictTries || classifyDatabaseError(error) !== 'conflict') throw error;
    }
  }
}

/** Names come from the registry, never from outside. A page is a walk along the primary key, whatever it finds there. */
function statementsOf({ table, column, key, reads }: EncryptedColumn) {
  const names = Object.keys(key);
  const types = Object.values(key);
  const keyNames = names.join(', ');
  const selected = [...new Set([...names, ...reads])].join(', ');
  const page = (condition: string) =>
    `select ${selected}, case when substr(${column}, 3, get_byte(${column}, 1)) <> $1::bytea then ${column} end as sealed
     from ${table} ${condition} order by ${keyNames} limit $2`;
  const position = types.map((type, index) => `$${String(index + 3)}::${type}`).join(', ');
  const sent = types.map((type, index) => `$${String(index + 1)}::${type}[]`).join(', ');
  const count = names.length;
  return {
    first: page(''),
    next: page(`where (${keyNames}) > (${position})`),
    change: `update ${table} t set ${column} = v.fresh
      from unnest(${sent}, $${String(count + 1)}::bytea[], $${String(count + 2)}::bytea[]) as v (${keyNames}, stale, fresh)
      where ${names.map((name) => `t.${name} = v.${name}`).join(' and ')} and t.${column} = v.stale
      returning 1 as changed`,
  };
}
