import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { replayDeletions } from '../../../domain/deletion-replay/replay-deletions.ts';
import type { DeletionJournal } from '../../../domain/deletion/journal/deletion-journal.ts';
import { openJournal } from '../../../domain/deletion/journal/open-journal.ts';
import { entities } from '../../../domain/entities.ts';
import { createRole } from '../../../platform/database/create-database.ts';
import { openDatabase } from '../../../platform/database/open-database.ts';
import { startTestApi } from '../../support/api.ts';
import { adminUrl, aDatabase } from '../../support/database.ts';
import { aTenant, freshId } from '../../support/factories.ts';

const folder = await mkdtemp(join(tmpdir(), 'steward-restricted-'));
const database = await aDatabase();
const api = await startTestApi({ database });
const role = `test_${randomBytes(8).toString('hex')}`;
const password = randomBytes(16).toString('hex');
await createRole(adminUrl(), role, password);
const url = Object.assign(new URL(database.directUrl), { username: role, password }).href;
const opened = openDatabase({ url, poolSize: 2, statementTimeoutMs: 60_000, plansOnce: false, entities });

afterAll(async () => {
  await opened.close();
  await api.close();
  await database.drop();
  const server = await aDatabase();
  await server.sql(`drop role ${role}`);
  await server.drop();
  await rm(folder, { recursive: true, force: true });
});

describe('a role that may not read the control file', () => {
  it('starts the deletions of the journal again', async () => {
    for (const statement of [
      `grant all on all tables in schema public to ${role}`,
      `grant all on all sequences in schema public to ${role}`,
      'revoke execute on function pg_control_checkpoint() from public',
    ])
      await database.sql(statement);
    const { keyId } = await aTenant(api);
    const journal = openJournal(folder, api.keyRing) as DeletionJournal;
    await journal.append({
      v: 1,
      kind: 'users',
      keyId,
      jobId: freshId('job'),
      at: 1,
      database: '',
      signingKeys: [],
      userIds: ['ada'],
      organizationIds: null,
    });
    const options = { acceptLoss: false, retentionMs: 86_400_000 };
    expect(await replayDeletions(opened.orm, api.keyRing, journal, options)).toMatchObject({ users: 1 });
    await journal.close();
  });
});
