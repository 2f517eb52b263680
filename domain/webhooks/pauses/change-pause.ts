import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { scanPages } from '../../scan-page.ts';
import { tablesOf } from '../../tables.ts';
import { requireKey } from '../../workspaces/find-key.ts';
import { endpointsWithOldMessages, type WaitingEndpoint } from '../delivery/find-waiting.ts';
import { findServedEndpoint } from '../endpoints/endpoint-row.ts';
import { maxWoken, waitingEndpoints } from '../endpoints/waiting-endpoints.ts';

/** The deliveries that a pause covers: of an endpoint or of a key, by public id, or of every key. */
export type PauseScope = { readonly endpointId: string } | { readonly keyId: string } | 'all';

export interface PauseState {
  /** Public id of the scope's key; null for every key. */
  readonly keyId: string | null;
  /** Whether the scope is paused, by its own pause or by one of a wider scope. */
  readonly paused: boolean;
  /** The start of its own pause; null without one. */
  readonly pausedAt: Date | null;
}

/**
 * Pauses deliveries: turns that resolve their endpoint after the commit claim no messages. Takes no lock, so attempts of a
 * claim that began before the commit may begin after it. Has no effect on a scope with its own pause. Throws NOT_FOUND.
 */
export async function pauseDeliveries(em: EntityManager, scope: PauseScope): Promise<PauseState> {
  const located = await locate(em, scope);
  await tablesOf(em)
    .insertInto('webhook_pause')
    .values(located.key)
    .onConflict((conflict) =>
      conflict
        .columns(['api_key_id', 'endpoint_id'])
        .doUpdateSet({ paused_at: sql`now()`, resumed_at: null })
        .where('webhook_pause.resumed_at', 'is not', null),
    )
    .execute();
  return stateOf(em, located);
}

export interface EndedPause extends PauseState {
  /** Up to `maxWoken` endpoints to wake after the commit. */
  readonly waiting: readonly WaitingEndpoint[];
}

/**
 * Ends the pause of a scope; pauses of wider and narrower scopes stay. Has no effect on a scope without its own pause.
 * `kinds`: kinds of endpoint rows that are served. Throws NOT_FOUND.
 */
export async function resumeDeliveries(
  em: EntityManager,
  scope: PauseScope,
  kinds: readonly number[],
): Promise<EndedPause> {
  const located = await locate(em, scope);
  await tablesOf(em)
    .updateTable('webhook_pause')
    .set({ resumed_at: sql`now()` })
    .where((row) => row.and({ ...located.key }))
    .where('resumed_at', 'is', null)
    .execute();
  const state = await stateOf(em, located);
  return { ...state, waiting: state.paused ? [] : await located.waiting(kinds) };
}

interface Located {
  readonly keyId: string | null;
  /** Primary key of the scope's pause. */
  readonly key: { readonly api_key_id: string; readonly endpoint_id: string };
  readonly waiting: (kinds: readonly number[]) => Promise<readonly WaitingEndpoint[]>;
}

async function locate(em: EntityManager, scope: PauseScope): Promise<Located> {
  if (scope === 'all') {
    return {
      keyId: null,
      key: { api_key_id: '0', endpoint_id: '0' },
      waiting: async (kinds) => dueEndpoints(em, kinds),
    };
  }
  if ('keyId' in scope) {
    const { keyId, tenantId } = await requireKey(em, scope);
    return {
      keyId,
      key: { api_key_id: tenantId, endpoint_id: '0' },
      waiting: async (kinds) => waitingEndpoints(em, [tenantId], kinds),
    };
  }
  const { id, tenantId, keyId, endpointId } = await findServedEndpoint(em, scope.endpointId);
  return {
    keyId,
    key: { api_key_id: tenantId, endpoint_id: id },
    waiting: async () => [{ keyId, endpointId }],
  };
}

/** Returns up to `maxWoken` endpoints with due messages. */
async function dueEndpoints(
  em: EntityManager,
  kinds: readonly number[],
): Promise<readonly WaitingEndpoint[]> {
  const found: WaitingEndpoint[] = [];
  const pages = scanPages(async (after: string | undefined) =>
    endpointsWithOldMessages(em, kinds, { after, overdueSeconds: 0 }),
  );
  for await (const page of pages) {
    found.push(...page);
    if (found.length >= maxWoken) break;
  }
  return found.slice(0, maxWoken);
}

async function stateOf(em: EntityManager, { keyId, key }: Located): Promise<PauseState> {
  const { api_key_id, endpoint_id } = key;
  const pauses = await tablesOf(em)
    .selectFrom('webhook_pause')
    .select(['api_key_id', 'endpoint_id', 'paused_at'])
    .where('api_key_id', 'in', ['0', api_key_id])
    .where('endpoint_id', 'in', ['0', endpoint_id])
    .where('resumed_at', 'is', null)
    .execute();
  const own = pauses.find((pause) => pause.api_key_id === api_key_id && pause.endpoint_id === endpoint_id);
  return { keyId, paused: pauses.length > 0, pausedAt: own?.paused_at ?? null };
}
