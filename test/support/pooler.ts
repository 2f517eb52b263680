import type { PoolerKind } from './pgbouncer.ts';

/*
 * TEST_POOLER=named (or unnamed) puts a PgBouncer between the product and PostgreSQL: see `CONTRIBUTING.md`. Statements of the tests themselves bypass it.
 */

/** Undefined when the product connects to PostgreSQL directly. */
export const poolerKind = readKind(process.env['TEST_POOLER']);

/** Value for `openDatabase` and `DATABASE_STATEMENT_NAMES`. */
export const statementNames = poolerKind !== 'unnamed';

function readKind(kind: string | undefined): PoolerKind | undefined {
  if (kind === undefined || kind === 'named' || kind === 'unnamed') return kind;
  throw new Error('TEST_POOLER: not named or unnamed.');
}

/** Returns the URL of a database of the run's server, through the run's pooler if it has one. */
export const pooledUrl = (direct: string): string =>
  withPort(direct, process.env['TEST_DATABASE_URL'], process.env['TEST_POOLER_URL']);

/** The reverse of `pooledUrl`. Returns other URLs unchanged. */
export const directUrl = (pooled: string): string =>
  withPort(pooled, process.env['TEST_POOLER_URL'], process.env['TEST_DATABASE_URL']);

function withPort(url: string, from: string | undefined, to: string | undefined): string {
  if (from === undefined || to === undefined) return url;
  const changed = new URL(url);
  if (changed.port !== new URL(from).port) return url;
  changed.port = new URL(to).port;
  return changed.href;
}
