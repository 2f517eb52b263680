import { afterAll, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { RestoreGate } from '../../../domain/deletion-replay/restore-gate.ts';
import { watchJournal } from '../../../domain/deletion-replay/watch-journal.ts';
import type { DeletionJournal } from '../../../domain/deletion/journal/deletion-journal.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { startTestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { seriesOf } from '../../support/metrics.ts';

const api = await startTestApi();
afterAll(api.close);

it('a journal whose file system hangs counts as not writable', async () => {
  const hanging = Promise.withResolvers<never>();
  // The check may still wait for the database when the test ends.
  hanging.promise.catch(() => undefined);
  const journal = { files: async () => hanging.promise } as unknown as DeletionJournal;
  const registry = new Registry();
  const stopping = new AbortController();
  const watching = watchJournal({
    gate: new RestoreGate(true),
    journal,
    orm: api.orm,
    retentionMs: 86_400_000,
    completion: { keyRing: api.keyRing, issuer: 'https://steward.test', journal },
    maxCheckMs: 20,
    logger: createLogger({ level: 'silent', format: 'json', name: 'worker' }, () => undefined),
    registry,
    signal: stopping.signal,
  });
  await eventually(async () => {
    expect(seriesOf(await registry.metrics()).get('steward_deletion_journal_writable')).toBe(0);
  });
  stopping.abort();
  hanging.reject(new Error('The test has ended.'));
  await watching;
});
