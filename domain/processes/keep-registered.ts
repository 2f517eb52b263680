import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { EntityManager, Orm } from '../../platform/database/orm.ts';
import { randomToken } from '../../platform/encryption/tokens.ts';
import type { Level } from '../../platform/logging/logger.ts';
import { buildId } from '../../platform/process/build-id.ts';
import { ownVersion } from '../../platform/process/own-version.ts';
import { tablesOf } from '../tables.ts';
import { levelInForce } from './log-level.ts';
import type { ProcessKind } from './process.entity.ts';

/** Milliseconds between two heartbeats. */
const heartbeatMs = 10_000;

/** Milliseconds that `close` waits for the database: the sweep removes what it could not. */
const maxCloseMs = 1_000;

export interface RegistrationOptions {
  readonly orm: Orm;
  readonly kind: ProcessKind;
  readonly onFailure: (error: unknown) => void;
  /** Called with each heartbeat; undefined when no operator has set a level. */
  readonly onLogLevel: (level: Level | undefined) => void;
}

/**
 * Registers this process and sends a heartbeat every 10 s, also after an outage of the database. `close` removes the
 * registration.
 */
export function keepRegistered(options: RegistrationOptions): { readonly close: () => Promise<void> } {
  const stopping = new AbortController();
  const registering = register(options, stopping.signal);
  return {
    close: async () => {
      stopping.abort();
      await Promise.race([registering, pause(maxCloseMs, undefined, { ref: false })]);
    },
  };
}

async function register(
  { orm, kind, onFailure, onLogLevel }: RegistrationOptions,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = new Date(Date.now() - process.uptime() * 1_000);
  const id = randomToken('proc');
  const row = { id, kind, version: ownVersion, host: hostname(), started_at: startedAt };
  const beat = async (em: EntityManager): Promise<void> => {
    const { level } = await tablesOf(em)
      .insertInto('process')
      .values({ ...row, build_id: await buildId() })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ heartbeat_at: sql`now()` }))
      .returning(levelInForce(em).select('level').as('level'))
      .executeTakeFirstOrThrow();
    onLogLevel(level ?? undefined);
  };
  while (!signal.aborted) {
    await beat(orm.em.fork()).catch(onFailure);
    await pause(heartbeatMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
  await tablesOf(orm.em.fork()).deleteFrom('process').where('id', '=', id).execute().catch(onFailure);
}
