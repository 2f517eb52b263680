import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { databaseIncarnation } from '../../../../domain/deletion/journal/database-incarnation.ts';
import { entities } from '../../../../domain/entities.ts';
import { createRole } from '../../../../platform/database/create-database.ts';
import { openDatabase } from '../../../../platform/database/open-database.ts';
import { adminUrl, aDatabase } from '../../../support/database.ts';

const database = await aDatabase();
const role = `test_${randomBytes(8).toString('hex')}`;
const password = randomBytes(16).toString('hex');
await createRole(adminUrl(), role, password);
const url = Object.assign(new URL(database.directUrl), { username: role, password }).href;
const opened = openDatabase({ url, poolSize: 1, statementTimeoutMs: 60_000, plansOnce: false, entities });
const incarnation = async () => databaseIncarnation(opened.orm.em.fork());

afterAll(async () => {
  await opened.close();
  await database.drop();
  const server = await aDatabase();
  await server.sql(`drop role ${role}`);
  await server.drop();
});

describe('the identity of a database', () => {
  it('is unknown where the role may not read the control file', async () => {
    expect(await incarnation()).toMatch(/^\d+\/\d+\/\d+$/);
    await database.sql('revoke execute on function pg_control_checkpoint() from public');
    expect(await incarnation()).toBeUndefined();
  });
});
