import { inTransaction, type Orm } from '../../../platform/database/orm.ts';
import { hashedListsSettings } from '../../../platform/database/planner.ts';
import { fanOut, type FannedOut, type FanOutRequest } from './fan-out.ts';
import { poisonReason, recordFailure, type PoisonedEvent } from './poison-events.ts';

/** Called with each event that is set aside. */
export type OnSetAside = (event: PoisonedEvent) => void;

export interface FanOutEachRequest extends Pick<FanOutRequest, 'tenantId' | 'kinds' | 'firstWaitMs'> {
  readonly table: 'outbox' | 'poison_event';
  /** Surrogate keys. */
  readonly events: readonly string[];
  readonly onSetAside: OnSetAside;
  /** Stops before the next event. */
  readonly signal: AbortSignal;
}

/**
 * Fans out events one by one, each in a transaction of its own. An event whose own data fails is recorded as failed. Any
 * other failure is thrown. `events` of the result: those that left the table or whose attempt failed.
 */
export async function fanOutEach(
  orm: Orm,
  { events, onSetAside, signal, ...request }: FanOutEachRequest,
): Promise<FannedOut> {
  const all: FannedOut[] = [];
  for (const eventId of events) {
    if (signal.aborted) break;
    all.push(await fanOutOne(orm, { ...request, eventId, batchSize: 1, maxMessages: 1 }, onSetAside));
  }
  return {
    events: all.reduce((sum, one) => sum + one.events, 0),
    found: events.length,
    last: undefined,
    deliveries: all.reduce((sum, one) => sum + one.deliveries, 0),
    reached: all.flatMap(({ reached }) => reached),
    drainingMs: all.at(-1)?.drainingMs ?? null,
  };
}

async function fanOutOne(
  orm: Orm,
  request: FanOutRequest & { readonly eventId: string },
  onSetAside: OnSetAside,
): Promise<FannedOut> {
  try {
    return await inTransaction(orm, async (em) => fanOut(em, request), hashedListsSettings);
  } catch (error) {
    const reason = poisonReason(error);
    if (reason === undefined) throw error;
    const poisoned = await inTransaction(orm, async (em) => recordFailure(em, { ...request, reason }));
    if (poisoned !== undefined) onSetAside(poisoned);
    return { events: 1, found: 1, last: undefined, deliveries: 0, reached: [], drainingMs: null };
  }
}
