import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { sql, type Insertable } from 'kysely';
import type { Paused } from '../../platform/config/configuration.ts';
import type { EntityManager, Orm } from '../../platform/database/orm.ts';
import { randomToken } from '../../platform/encryption/tokens.ts';
import type { LogLevel } from '../../platform/logging/logger.ts';
import { lazily } from '../../platform/process/single-flight.ts';
import { ownVersion } from '../../platform/process/own-version.ts';
import type { ProcessKind } from '../../platform/process/process-kinds.ts';
import { sourceHash } from '../../platform/process/source-hash.ts';
import { within } from '../../platform/process/within.ts';
import { tablesOf, type Tables } from '../tables.ts';
import { levelInForce } from './log-level.ts';

/** Milliseconds between two heartbeats. */
const heartbeatMs = 1_000;

/**
 * Milliseconds without a heartbeat after which a process does not count as running: 12 heartbeats, and more than the
 * interval of release 0.2.0.
 */
const maxSilenceMs = 12_000;

/**
 * Milliseconds between two successful heartbeats that show an outage of the database, and milliseconds after it in which
 * the heartbeats of other processes may still be missing: a statement on a lost connection fails after 30 s.
 */
const outageMs = { gap: 2_000, aftermath: 35_000 } as const;

/** Max milliseconds that a start and `close` wait for the database. The sweep deletes a row that `close` could not. */
const maxWaitMs = { start: 3_000, close: 1_000 } as const;

/** Running processes to assume before the first heartbeat. */
const assumedProcesses = 4;

/** Identifies the code of this installation. */
const ownSourceHash = lazily(async () =>
  sourceHash({
    folders: ['activities', 'api', 'domain', 'platform', 'server', 'worker', 'workflows'],
    files: ['package.json'],
  }),
);

export interface RegistrationOptions {
  readonly orm: Orm;
  readonly kind: ProcessKind;
  /** Kinds of work that the process does not do. */
  readonly paused?: Paused;
  readonly onFailure: (error: unknown) => void;
  /** Called with each heartbeat; undefined when no operator has set a level. */
  readonly onLogLevel: (level: LogLevel | undefined) => void;
}

/** The row of this process in `process`. */
export interface Registration {
  /** Random. */
  readonly id: string;
  /** Resolves after the first heartbeat, successful or not, or after 3 s. */
  readonly begun: Promise<void>;
  /** Running processes of this kind at the last heartbeat, including this one. */
  readonly processes: () => number;
  /** Whether heartbeats have succeeded without an outage for 35 s, or since the start. */
  readonly steady: () => boolean;
  readonly close: () => Promise<void>;
}

/**
 * Registers this process and sends a heartbeat every second. Continues after an outage of the database. `close` removes
 * the registration.
 */
export function keepRegistered({
  orm,
  kind,
  paused = new Set(),
  onFailure,
  onLogLevel,
}: RegistrationOptions): Registration {
  const id = randomToken('proc');
  const stopping = new AbortController();
  let processes: number = assumedProcesses;
  let reachedAt = performance.now();
  let steadyFrom = reachedAt;
  const startedAt = new Date(Date.now() - process.uptime() * 1_000);
  const beat = async (): Promise<void> => {
    const { level, others } = await sendHeartbeat(orm.em.fork(), {
      id,
      kind,
      version: ownVersion,
      build_id: await ownSourceHash(),
      host: hostname(),
      paused: [...paused],
      started_at: startedAt,
    });
    processes = 1 + (others ?? 0);
    const now = performance.now();
    if (now - reachedAt > outageMs.gap) steadyFrom = now + outageMs.aftermath;
    reachedAt = now;
    onLogLevel(level ?? undefined);
  };
  const first = beat().catch(onFailure);
  const beating = first.then(async () => {
    for (;;) {
      await pause(heartbeatMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
      if (stopping.signal.aborted) break;
      await beat().catch(onFailure);
    }
    await tablesOf(orm.em.fork()).deleteFrom('process').where('id', '=', id).execute().catch(onFailure);
  });
  return {
    id,
    begun: within(first, maxWaitMs.start, undefined),
    processes: () => processes,
    steady: () => {
      const now = performance.now();
      return now >= steadyFrom && now - reachedAt <= outageMs.gap;
    },
    close: async () => {
      stopping.abort();
      await within(beating, maxWaitMs.close, undefined);
    },
  };
}

/** Returns the level in force, if any, and the number of other running processes of the kind. */
const sendHeartbeat = async (em: EntityManager, row: Insertable<Tables['process']>) =>
  tablesOf(em)
    .insertInto('process')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ heartbeat_at: sql`now()` }))
    .returning([
      levelInForce(em).select('level').as('level'),
      tablesOf(em)
        .selectFrom('process as other')
        .select(sql<number>`count(*)::int`.as('others'))
        .where('other.id', '<>', row.id)
        .where('other.kind', '=', row.kind)
        .where(
          'other.heartbeat_at',
          '>',
          sql<Date>`now() - ${sql.lit(maxSilenceMs)} * interval '1 millisecond'`,
        )
        .as('others'),
    ])
    .executeTakeFirstOrThrow();
