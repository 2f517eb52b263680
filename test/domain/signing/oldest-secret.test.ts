import { randomBytes } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { signingSecret } from '../../../domain/signing/signing-secret.ts';
import { currentTokenKey, rotateTokenKey } from '../../../domain/signing/token-keys.ts';
import { inTransaction } from '../../../platform/database/orm.ts';
import { KeyRing } from '../../../platform/encryption/key-ring.ts';
import { startTestApi } from '../../support/api.ts';
import { storeForeignSecret } from '../../support/foreign-secret.ts';

const { database, orm, close } = await startTestApi();
afterAll(close);
beforeEach(async () => void (await database.sql('truncate signing_key')));

const aRing = () => new KeyRing([{ id: 'same', key: randomBytes(32) }]);
const [right, wrong] = [aRing(), aRing()];
const otherKeys = 'STEWARD_ENCRYPTION_KEYS does not decrypt the stored secrets.';
const secrets = async () => database.sql('select kid, retired_at from signing_key order by kid');
const rotate = async (keyRing: KeyRing) => inTransaction(orm, async (em) => rotateTokenKey(em, keyRing));

describe('a process whose keys do not decrypt the oldest secret', () => {
  it('creates no secret of another purpose', async () => {
    const em = orm.em.fork();
    await signingSecret(em, right, 'cursor');
    const before = await secrets();
    await expect(signingSecret(em, wrong, 'suppressions')).rejects.toThrow(otherKeys);
    await expect(currentTokenKey(em, wrong, 'receipt')).rejects.toThrow(otherKeys);
    expect(await secrets()).toEqual(before);
    await signingSecret(em, right, 'suppressions');
    expect(await secrets()).toHaveLength(2);
  });

  it.each([
    ['is the oldest secret', async () => undefined],
    ['is a later one', async () => signingSecret(orm.em.fork(), right, 'cursor')],
  ])('does not rotate the key of tokens when that %s', async (_, prepare) => {
    await prepare();
    await currentTokenKey(orm.em.fork(), right);
    const before = await secrets();
    await expect(rotate(wrong)).rejects.toThrow(otherKeys);
    expect(await secrets()).toEqual(before);
  });
});

describe('a rotation of the key of tokens', () => {
  it('replaces a key that a process with other keys has stored', async () => {
    await signingSecret(orm.em.fork(), right, 'cursor');
    const foreign = await storeForeignSecret(database, wrong, 'jwt');
    const kid = await rotate(right);
    expect((await currentTokenKey(orm.em.fork(), right)).kid).toBe(kid);
    expect(kid).not.toBe(foreign);
  });
});
