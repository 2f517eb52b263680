import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { canonicalHash } from '../../platform/json/canonical-hash.ts';
import { inTurns, type Pausable } from '../../platform/process/in-turns.ts';
import type { PreparedActivityLog } from './activity-log.ts';

/** A record whose hash differs from that of the locked row that it overwrites. */
export interface DifferingActivityLog {
  /** Surrogate key of the row. */
  readonly row: string;
  readonly activityLog: PreparedActivityLog;
}

/** Max bytes that PostgreSQL adds to the bytes of a value. */
const headerBytes = 8;

const BodyRow = z.strictObject({ id: z.string(), body: z.string() });

/**
 * Surrogate keys of the rows whose content differs only in the order of members. Such bodies have equal lengths, so
 * PostgreSQL returns only those: at most as many bytes as the call sent. It reads no body whose stored size, which may
 * be compressed, is larger than what was sent.
 */
export async function reorderedActivityLogs(
  em: EntityManager,
  differing: readonly DifferingActivityLog[],
): Promise<ReadonlySet<string>> {
  if (differing.length === 0) return new Set();
  const bytes = differing.map(({ activityLog }) => Buffer.byteLength(activityLog.json));
  const stored = await rowsOf(
    em,
    BodyRow,
    sql`select a.id, a.body from unnest(${differing.map(({ row }) => row)}::bigint[], ${bytes}::int[]) as s (id, bytes)
      cross join lateral (select r.id, r.body::text as body from activity r where r.id = s.id
        and pg_column_size(r.body) <= s.bytes + ${sql.lit(headerBytes)} offset 0) a
      where octet_length(a.body) = s.bytes`,
  );
  if (stored.length === 0) return new Set();
  const bodies = new Map(stored.map(({ id, body }) => [id, body]));
  return inTurns(equalRows(differing, bodies));
}

function* equalRows(
  differing: readonly DifferingActivityLog[],
  bodies: ReadonlyMap<string, string>,
): Pausable<Set<string>> {
  const equal = new Set<string>();
  for (const { row, activityLog } of differing) {
    const body = bodies.get(row);
    if (body === undefined) continue;
    const stored = yield* canonicalHash(JSON.parse(body));
    if (stored.equals(yield* canonicalHash(JSON.parse(activityLog.json)))) equal.add(row);
  }
  return equal;
}
