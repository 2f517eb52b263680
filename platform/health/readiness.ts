import type { Paused } from '../config/configuration.ts';
import { boundedCheck } from './bounded-check.ts';

/** The dependencies that decide whether a process is ready. */
export interface ReadinessSources {
  /** Names of the migrations that have not run. Rejects while the database is unavailable. */
  readonly pendingMigrations: () => Promise<readonly string[]>;
  readonly temporalAvailable: () => Promise<boolean>;
  /** Whether a worker polls every task queue; undefined for an API. Only a worker requires Temporal. */
  readonly polling?: () => boolean;
  /** Whether the process is about to stop. */
  readonly draining?: () => boolean;
  /** Why the database may contain deleted data, for example after a restore; undefined when it does not. */
  readonly restored?: () => { readonly state: string; readonly reason: string } | undefined;
  /** Whether the deployment has a mail server. Without one, e-mails wait and the process is still ready. */
  readonly sendsEmail?: boolean;
  /** Kinds of work that the configuration pauses. The process is still ready. */
  readonly paused?: Paused;
}

/** The response of `/readyz`. */
export interface Readiness {
  readonly status: 'ready' | 'not ready';
  /** Absent when ready. */
  readonly reasons?: readonly string[];
  readonly database: 'available' | 'unavailable';
  /** `unknown` while the database is unavailable. */
  readonly migrations: 'complete' | 'pending' | 'unknown';
  readonly temporal: 'available' | 'unavailable';
  /** Workers only. */
  readonly polling?: 'active' | 'stopped';
  /** State of the comparison of the deletion journal with the database. Absent when it is current or there is none. */
  readonly deletionJournal?: string;
  /** Absent when the deployment has a mail server. */
  readonly email?: 'smtp-not-configured';
  /** Absent when nothing is paused. */
  readonly paused?: readonly string[];
}

/** Returns a function that reads the readiness within 2 s, even while PostgreSQL or Temporal does not respond. */
export function readinessOf(sources: ReadinessSources): () => Promise<Readiness> {
  const database = boundedCheck(sources.pendingMigrations, undefined);
  const temporal = boundedCheck(sources.temporalAvailable, false);
  const paused = [...(sources.paused ?? [])];
  return async () => {
    const [pending, temporalAvailable] = await Promise.all([database(), temporal()]);
    const polling = sources.polling?.();
    const restored = sources.restored?.();
    const reasons = [
      ...(sources.draining?.() === true ? ['The process is about to stop.'] : []),
      ...databaseReasons(pending),
      ...(restored === undefined ? [] : [restored.reason]),
      ...(polling !== undefined && !temporalAvailable ? ['Temporal does not respond.'] : []),
      ...(polling === false ? ['The worker does not poll its task queues.'] : []),
    ];
    return {
      status: reasons.length === 0 ? 'ready' : 'not ready',
      ...(reasons.length > 0 && { reasons }),
      database: pending === undefined ? 'unavailable' : 'available',
      migrations: pending === undefined ? 'unknown' : pending.length > 0 ? 'pending' : 'complete',
      temporal: temporalAvailable ? 'available' : 'unavailable',
      ...(polling !== undefined && { polling: polling ? 'active' : 'stopped' }),
      ...(restored !== undefined && { deletionJournal: restored.state }),
      ...(sources.sendsEmail === false && { email: 'smtp-not-configured' as const }),
      ...(paused.length > 0 && { paused }),
    };
  };
}

function databaseReasons(pending: readonly string[] | undefined): string[] {
  if (pending === undefined)
    return ['PostgreSQL does not respond in time, or refuses access. Run: npm run cli -- doctor'];
  return pending.map((name) => `Migration ${name} has not run. Run: npm run cli -- migrate`);
}
