import { z } from 'zod';
import { maxCountedEvents, readOutbox, type OutboxRow } from '../../../domain/events/read-outbox.ts';
import { endpoint } from '../../http/endpoint.ts';
import { listResponse, paging } from '../../http/response/list.ts';
import { rowPages } from '../../http/response/row-pages.ts';
import { milliseconds } from '../../schemas.ts';
import { shortPages } from '../short-pages.ts';

const maxRowBytes = 512;

/** Each key may read 10,000 index entries. */
const maxKeys = 100;

const outboxResponse = z
  .strictObject({
    keyId: z.string().describe('Public id of the API key, `akid_…`.'),
    events: z.int().meta({ description: `Undispatched events, at most ${String(maxCountedEvents)}.` }),
    oldestAt: milliseconds.describe('When the oldest event occurred, in milliseconds since the epoch.'),
    oldestAgeMs: z.int().describe('Age of the oldest event, in milliseconds.'),
  })
  .meta({ id: 'Outbox' });

export const readOutboxes = endpoint({
  paths: ['/v2/operator/events/outbox'],
  credentials: 'operator',
  operatorScope: 'read',
  mutates: false,
  summary: 'Lists the API keys with events that are not dispatched to endpoints yet.',
  description:
    'Normally the list is empty. Returns up to 100 keys per page. A page may be short: only an absent ' +
    '`nextPageToken` marks the end. A key that stays in the list has events that no worker dispatches: ' +
    'look at its poison events and at the worker processes.',
  data: z.strictObject({ ...paging }),
  response: listResponse(outboxResponse, { unpagedPaths: [] }),
  errors: [],
  example: { pageSize: 50 },
  async handle(_call, { em }) {
    const view = ({ key_id: keyId, events, oldest_at, age_ms }: OutboxRow) => ({
      keyId,
      events,
      oldestAt: oldest_at.getTime(),
      oldestAgeMs: Math.round(age_ms),
    });
    const list = rowPages(maxRowBytes, view, async (page) => readOutbox(em, page));
    return { message: 'Outbox retrieved successfully.', list: shortPages(maxKeys, list) };
  },
});
