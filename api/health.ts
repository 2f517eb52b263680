import { pendingMigrations } from '../platform/database/migrate.ts';
import type { Orm } from '../platform/database/orm.ts';
import type { Page } from './http/application.ts';
import type { RequestContext } from './http/middleware/state.ts';

/** Dependencies of the health pages. */
export interface HealthSources {
  readonly orm: Orm;
  /** Returns whether Temporal responds. The caller bounds its duration. */
  readonly temporalAvailable: () => Promise<boolean>;
}

/** `/healthz`: the process runs. `/readyz`: the database responds and is migrated. Temporal is reported but not required. */
export function healthPages(sources: HealthSources): readonly Page[] {
  return [
    { path: '/healthz', response: (context) => response(context, 200, { status: 'ok' }) },
    { path: '/readyz', response: (context) => ready(context, sources) },
  ];
}

async function ready(context: RequestContext, { orm, temporalAvailable }: HealthSources): Promise<void> {
  const [reasons, temporal] = await Promise.all([databaseReasons(orm), temporalAvailable()]);
  response(context, reasons.length === 0 ? 200 : 503, {
    status: reasons.length === 0 ? 'ready' : 'not ready',
    ...(reasons.length > 0 && { reasons }),
    database: reasons.length === 0 ? 'available' : 'unavailable',
    temporal: temporal ? 'available' : 'unavailable',
  });
}

async function databaseReasons(orm: Orm): Promise<string[]> {
  try {
    const pending = await pendingMigrations(orm.em.fork());
    return pending.map((name) => `Migration ${name} has not run. Run: npm run cli -- migrate`);
  } catch {
    return ['The database does not respond.'];
  }
}

function response(context: RequestContext, status: number, body: object): void {
  context.status = status;
  context.set('Cache-Control', 'no-store');
  context.body = body;
}
