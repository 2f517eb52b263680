import { z } from 'zod';
import { maxRowsWithin } from '../../../../domain/page-limit.ts';
import { readPoisonEvents, type PoisonRow } from '../../../../domain/webhooks/delivery/list-poison-events.ts';
import { requireKey } from '../../../../domain/workspaces/find-key.ts';
import type { EntityManager } from '../../../../platform/database/orm.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { listResponse, paging } from '../../../http/response/list.ts';
import type { PageReader } from '../../../http/response/page-reader.ts';
import { milliseconds } from '../../../schemas.ts';
import { keyId } from '../../key-id.ts';

/** An event type has up to 200 characters. */
const maxEventBytes = 768;

const poisonResponse = z
  .strictObject({
    eventId: z.string().describe('Id of the event, `evt_…`.'),
    keyId: z.string().describe('Public id of the API key, `akid_…`.'),
    type: z.string().describe('Type of the event.'),
    occurredAt: milliseconds.describe('When the event occurred, in milliseconds since the epoch.'),
    attempts: z.int().describe('Number of failed attempts.'),
    reason: z.string().meta({ description: 'Class of the failure, and its SQLSTATE.' }),
    failedAt: milliseconds.meta({
      description: 'When the last attempt failed, in milliseconds since the epoch.',
    }),
    nextAttemptAt: milliseconds.nullable().meta({
      description:
        'When the next attempt is due, in milliseconds since the epoch. Null once the event is set aside, after 5 attempts.',
    }),
  })
  .meta({ id: 'PoisonEvent' });
type PoisonResponse = z.input<typeof poisonResponse>;

export const listPoisonEvents = endpoint({
  paths: ['/v2/operator/events/poison/list'],
  credentials: 'operator',
  operatorScope: 'read',
  mutates: false,
  summary: 'Lists poison events: those whose dispatch to endpoints failed.',
  description:
    'Poison events do not delay other events. Ordered by key, then by age. An event is attempted 5 times ' +
    'and then set aside until it is retried or discarded. An unknown key fails with `NOT_FOUND`.',
  data: z.strictObject({ keyId: keyId.optional(), ...paging }),
  response: listResponse(poisonResponse, { unpagedPaths: [] }),
  errors: ['NOT_FOUND'],
  example: { pageSize: 50 },
  async handle({ data }, { em }) {
    const tenantId =
      data.keyId === undefined ? undefined : (await requireKey(em, { keyId: data.keyId })).tenantId;
    return { message: 'Poison events retrieved successfully.', list: pages(em, tenantId) };
  },
});

const pages =
  (em: EntityManager, tenantId: string | undefined): PageReader<PoisonResponse> =>
  async (after, limit) => {
    const [key, event] = after ?? ['0', '0'];
    const count = maxRowsWithin(limit, maxEventBytes);
    const { events, next } = await readPoisonEvents(em, {
      tenantId,
      after: [String(key), String(event)],
      limit: count,
    });
    return {
      items: events.map(poisonView),
      next,
      cut: events.length > 0 && next !== undefined && count < limit.rows,
    };
  };

const poisonView = (row: PoisonRow): PoisonResponse => ({
  eventId: row.public_id,
  keyId: row.key_id,
  type: row.type,
  occurredAt: row.event_at.getTime(),
  attempts: row.attempts,
  reason: row.reason,
  failedAt: row.failed_at.getTime(),
  nextAttemptAt: row.next_at?.getTime() ?? null,
});
