import { afterAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '../../platform/logging/logger.ts';
import { announceChanges } from '../../worker/announce-changes.ts';
import { startTestApi } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { aDocument, aTenant, freshId } from '../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

describe('the announcement of collaborative data', () => {
  it('records a due event once in two workers, after its statements have failed', async () => {
    const tenant = await aTenant(api);
    await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    await api.database.sql(
      `insert into webhook_endpoint (api_key_id, public_id, url) values ($1, $2, 'https://example.com')`,
      [tenant.id, freshId('ep')],
    );
    const location = await aDocument(tenant);
    await tenant.ok('/v2/crdt/add', { ...location, editorId: 'e', type: 'array', data: [] });
    await api.database.sql('update crdt_event set due_at = now() where api_key_id = $1', [tenant.id]);
    await api.database.sql(`create function refuse_deletions() returns trigger language plpgsql as
      $$ begin raise exception 'refused'; end $$`);
    await api.database.sql(`create trigger refuse_deletions before delete on crdt_event
      for each statement execute function refuse_deletions()`);
    const lines: unknown[] = [];
    const logger = createLogger({ level: 'warn', format: 'json', name: 'tests' }, (line) => {
      lines.push(JSON.parse(line));
    });
    const stopping = new AbortController();
    const { signal } = stopping;
    const announcing = [1, 2].map(async () => announceChanges({ orm: api.orm, logger, signal }));
    try {
      await eventually(() => lines.length >= 2);
      const line = { level: 'error', msg: 'unexpected error' };
      expect(lines.slice(0, 2)).toMatchObject([line, line]);
      await api.database.sql('drop trigger refuse_deletions on crdt_event');
      const waiting = async () => api.database.sql('select from crdt_event');
      await eventually(async () => (await waiting()).length === 0);
    } finally {
      stopping.abort();
      await Promise.all(announcing);
    }
    expect(await api.database.sql('select type from event where api_key_id = $1', [tenant.id])).toEqual([
      { type: 'crdt.update_data' },
    ]);
  });
});
