import { randomBytes } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { entities } from '../../../domain/entities.ts';
import { checkMisconfiguration } from '../../../domain/maintenance/misconfiguration.ts';
import { signingSecret } from '../../../domain/signing/signing-secret.ts';
import { openDatabase, type Database } from '../../../platform/database/open-database.ts';
import { KeyRing } from '../../../platform/encryption/key-ring.ts';
import { aDatabase } from '../../support/database.ts';
import { storeForeignSecret } from '../../support/foreign-secret.ts';
import { statementNames } from '../../support/pooler.ts';

const database = await aDatabase();
const opened = openDatabase({
  url: database.url,
  poolSize: 1,
  statementTimeoutMs: 60_000,
  plansOnce: false,
  statementNames,
  entities,
});
afterAll(async () => {
  await opened.close();
  await database.drop();
});
beforeEach(async () => void (await database.sql('truncate signing_key')));

const aKey = (id: string) => ({ id, key: randomBytes(32) });
const used = aKey('used');
const otherKeys = 'STEWARD_ENCRYPTION_KEYS does not decrypt the stored secrets. Run: npm run cli -- doctor';

const secretBy = async (keyRing: KeyRing, purpose: 'cursor' | 'idempotency'): Promise<unknown> =>
  signingSecret(opened.orm.em.fork(), keyRing, purpose);

describe('the configuration of a process', () => {
  it.each([
    ['undefined with the key of the secrets', [used], undefined],
    ['undefined with the key of the secrets after another', [aKey('next'), used], undefined],
    ['a reason with another key', [aKey('other')], otherKeys],
    ['a reason with another key of the same id', [aKey('used')], otherKeys],
  ])('returns %s', async (_, keys, reason) => {
    await secretBy(new KeyRing([used]), 'cursor');
    expect(await checkMisconfiguration(opened, new KeyRing(keys))()).toBe(reason);
  });

  it('returns undefined when a process with wrong keys has stored a later secret, and a reason to that one', async () => {
    const [right, wrong] = [new KeyRing([used]), new KeyRing([aKey('wrong')])];
    await secretBy(right, 'cursor');
    await storeForeignSecret(database, wrong, 'idempotency');
    expect(await checkMisconfiguration(opened, right)()).toBeUndefined();
    expect(await checkMisconfiguration(opened, wrong)()).toBe(otherKeys);
  });

  it('is checked without a secret, and not again after it has been right', async () => {
    let statements = 0;
    const counted: Database = {
      ...opened,
      probe: async (statement) => {
        statements += 1;
        return opened.probe(statement);
      },
    };
    const check = checkMisconfiguration(counted, new KeyRing([aKey('first')]));
    expect(await check()).toBeUndefined();
    const once = statements;
    await secretBy(new KeyRing([used]), 'cursor');
    expect(await check()).toBeUndefined();
    expect([once, statements]).toEqual([2, 2]);
  });

  it('is checked again until it is right', async () => {
    const right = new KeyRing([used]);
    await secretBy(right, 'cursor');
    const check = checkMisconfiguration(opened, new KeyRing([aKey('other')]));
    expect([await check(), await check()]).toEqual([otherKeys, otherKeys]);
    await database.sql('truncate signing_key');
    expect(await check()).toBeUndefined();
  });
});
