import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Finding } from '../../cli/doctor/finding.ts';
import { signingSecret } from '../../domain/signing/signing-secret.ts';
import { currentTokenKey, publicTokenKeys } from '../../domain/signing/token-keys.ts';
import { KeyRing } from '../../platform/encryption/key-ring.ts';
import { startTestApi } from '../support/api.ts';
import { runCommand } from '../support/command-line.ts';
import { storeForeignSecret } from '../support/foreign-secret.ts';

const api = await startTestApi();
const { database, keyRing, orm } = api;
afterAll(api.close);
beforeEach(async () => void (await database.sql('truncate signing_key')));
afterEach(() => {
  process.exitCode = 0;
});

const command = async (line: string, environment: Readonly<Record<string, string>> = {}) =>
  runCommand(api, line.split(' '), environment);
const secrets = async () => database.sql('select kid, retired_at is null as current from signing_key');

async function secretsFinding(): Promise<string | undefined> {
  const { findings } = JSON.parse(await command('doctor --json')) as { findings: Finding[] };
  return findings.find(({ check }) => check === 'secrets')?.level;
}

describe('secrets discard', () => {
  it.each(['tests', 'another'])(
    'discards secrets under other bytes with the id "%s", so that the deployment has all of its secrets again',
    async (id) => {
      const foreign = new KeyRing([{ id, key: randomBytes(32) }]);
      const em = orm.em.fork();
      const kept = await signingSecret(em, keyRing, 'cursor');
      const names = await storeForeignSecret(database, foreign, 'message-names');
      const token = await currentTokenKey(em, keyRing, 'receipt');
      await database.sql(
        `update signing_key set key_enc = (select key_enc from signing_key where kid = $1)
        where purpose = 'receipt'`,
        [names],
      );
      expect(await secretsFinding()).toBe('serious');
      await expect(signingSecret(em, keyRing, 'message-names')).rejects.toThrow();
      expect(JSON.parse(await command('secrets discard --json'))).toEqual({ discarded: [names, token.kid] });
      expect(await secretsFinding()).toBe('ok');
      expect(await command('keys rotate')).toContain('Every secret is encrypted with tests.');
      expect(await signingSecret(em, keyRing, 'cursor')).toEqual(kept);
      expect(await signingSecret(em, keyRing, 'message-names')).toHaveLength(32);
      // Receipts that the discarded key has signed stay valid.
      expect((await publicTokenKeys(orm.em.fork())).map(({ kid }) => kid)).toContain(token.kid);
      expect((await currentTokenKey(em, keyRing, 'receipt')).kid).not.toBe(token.kid);
      const audited = await database.sql(
        `select target from audit_entry where action = 'signing_key.discard'`,
      );
      expect(audited).toEqual(expect.arrayContaining([{ target: names }]));
      expect(await command('secrets discard')).toBe(
        'STEWARD_ENCRYPTION_KEYS decrypts every secret of the deployment.\n',
      );
    },
  );

  it('discards nothing with keys that do not decrypt the oldest secret', async () => {
    await signingSecret(orm.em.fork(), keyRing, 'cursor');
    const before = await secrets();
    const wrong = { STEWARD_ENCRYPTION_KEYS: `tests:${randomBytes(32).toString('base64')}` };
    await expect(command('secrets discard', wrong)).rejects.toThrow('does not decrypt the stored secrets');
    expect(await secrets()).toEqual(before);
  });
});
