import type { Paused } from '../config/configuration.ts';
import { boundedCheck } from './bounded-check.ts';

/** What a process requires of the database. */
export interface DatabaseSources {
  /** Names of the migrations that have not run. Rejects while the database is unavailable. */
  readonly pendingMigrations: () => Promise<readonly string[]>;
  /** Why the process cannot serve although every migration has run. Rejects while the database is unavailable. */
  readonly misconfiguration?: () => Promise<string | undefined>;
}

/** The dependencies that decide whether a process is ready. */
export interface ReadinessSources extends DatabaseSources {
  readonly temporalAvailable: () => Promise<boolean>;
  /** Whether a worker polls every task queue; undefined for an API. Only a worker requires Temporal. */
  readonly polling?: () => boolean;
  /** Whether the process is about to stop. */
  readonly draining?: () => boolean;
  /** Why the database may contain deleted data, for example after a restore; undefined while the gate is open. */
  readonly gateClosed?: () => { readonly state: string; readonly reason: string } | undefined;
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
  const database = boundedCheck(async () => databaseState(sources), undefined);
  const temporal = boundedCheck(sources.temporalAvailable, false);
  const paused = [...(sources.paused ?? [])];
  return async () => {
    const [state, temporalAvailable] = await Promise.all([database(), temporal()]);
    const polling = sources.polling?.();
    const closed = sources.gateClosed?.();
    const reasons = [
      ...(sources.draining?.() === true ? ['The process is about to stop.'] : []),
      ...reasonsOf(state),
      ...(closed === undefined ? [] : [closed.reason]),
      ...(polling !== undefined && !temporalAvailable ? ['Temporal does not respond.'] : []),
      ...(polling === false ? ['The worker does not poll its task queues.'] : []),
    ];
    return {
      status: reasons.length === 0 ? 'ready' : 'not ready',
      ...(reasons.length > 0 && { reasons }),
      database: state === undefined ? 'unavailable' : 'available',
      migrations: state === undefined ? 'unknown' : state.pending.length > 0 ? 'pending' : 'complete',
      temporal: temporalAvailable ? 'available' : 'unavailable',
      ...(polling !== undefined && { polling: polling ? 'active' : 'stopped' }),
      ...(closed !== undefined && { deletionJournal: closed.state }),
      ...(sources.sendsEmail === false && { email: 'smtp-not-configured' as const }),
      ...(paused.length > 0 && { paused }),
    };
  };
}

/** What a process requires of a database that responds. */
interface DatabaseState {
  readonly pending: readonly string[];
  /** Undefined while migrations are pending. */
  readonly misconfiguration: string | undefined;
}

async function databaseState(sources: DatabaseSources): Promise<DatabaseState> {
  const pending = await sources.pendingMigrations();
  const migrated = pending.length === 0;
  return { pending, misconfiguration: migrated ? await sources.misconfiguration?.() : undefined };
}

/** Why the process cannot use the database yet; empty when it can. Without the limit of health pages. */
export const databaseReasons = async (sources: DatabaseSources): Promise<readonly string[]> =>
  reasonsOf(await databaseState(sources).catch(() => undefined));

function reasonsOf(state: DatabaseState | undefined): string[] {
  if (state === undefined)
    return ['PostgreSQL does not respond in time, or refuses access. Run: npm run cli -- doctor'];
  const { pending, misconfiguration } = state;
  return [
    ...pending.map((name) => `Migration ${name} has not run. Run: npm run cli -- migrate`),
    ...(misconfiguration === undefined ? [] : [misconfiguration]),
  ];
}
