import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { compareJournal } from '../../../domain/deletion-replay/compare-journal.ts';
import type { DeletionJournal } from '../../../domain/deletion/journal/deletion-journal.ts';
import { openJournal } from '../../../domain/deletion/journal/open-journal.ts';
import { dayMs } from '../../../platform/units.ts';
import { startTestApi } from '../../support/api.ts';
import { aTenant } from '../../support/factories.ts';
import { statementsOf } from '../../support/statements.ts';
import { begunDeletion, carriedOut } from '../deletion/carry-out.ts';

const folder = await mkdtemp(join(tmpdir(), 'steward-other-server-'));
const api = await startTestApi();
const journal = openJournal(folder, api.keyRing) as DeletionJournal;
afterAll(async () => {
  await journal.close();
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

const compared = async () => compareJournal(api.orm, journal, dayMs);

const positions = async () => api.database.sql('select checked_bytes from deletion_journal_file');

async function anEndedDeletion(): Promise<void> {
  const tenant = await aTenant(api);
  const deletion = await begunDeletion(api, tenant, { userIds: ['ada'] });
  expect(await carriedOut(api, deletion, journal)).toEqual([]);
}

describe('a comparison during which a standby that lacks the last writes replaces the server', () => {
  it('fails and stores no position when the standby lacks the one where it began', async () => {
    await anEndedDeletion();
    expect(await compared()).toMatchObject({ state: 'current' });
    await anEndedDeletion();
    const replaced = Object.create(journal, {
      read: {
        value: async function* (file: string, from: number) {
          await api.database.sql('delete from deletion_journal_file');
          yield* journal.read(file, from);
        },
      },
    }) as DeletionJournal;
    await expect(compareJournal(api.orm, replaced, dayMs)).rejects.toMatchObject({ status: 'ABORTED' });
    expect(await positions()).toEqual([]);
    expect(await compared()).toMatchObject({ state: 'current' });
  });

  it('stores a position in the transaction that reads the states, which one server runs', async () => {
    await anEndedDeletion();
    const sent = await statementsOf(compared);
    const read = sent.findIndex(({ text }) => text.includes('with ordinality as e (key_id, job_id'));
    const stored = sent.findIndex(({ text }) => text.startsWith('insert into deletion_journal_file'));
    expect(sent[read - 1]?.text).toMatch(/^begin/);
    const between = sent.slice(read, stored + 1);
    expect(new Set(between.map(({ connection }) => connection)).size).toBe(1);
    expect(between.map(({ text }) => text).filter((text) => /^(?:commit|rollback)/.test(text))).toEqual([]);
    expect(sent[stored + 1]?.text).toBe('commit');
  });
});
