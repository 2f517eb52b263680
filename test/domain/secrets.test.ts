import { afterAll, describe, expect, it } from '@jest/globals';
import { stageRequest, storeStagedResponse } from '../../domain/rewriter/staged-requests.ts';
import { checkSecrets } from '../../domain/secrets/check-secrets.ts';
import { encryptedColumns } from '../../domain/secrets/encrypted-columns.ts';
import { rotateSecrets } from '../../domain/secrets/rotate-secrets.ts';
import { webhookSecretContext } from '../../domain/webhooks/endpoints/secret-context.ts';
import { authTokenContext } from '../../domain/workspaces/auth-tokens.ts';
import { KeyRing, keyIdOf, type EncryptionKey } from '../../platform/encryption/key-ring.ts';
import { sha256 } from '../../platform/encryption/tokens.ts';
import { startTestApi } from '../support/api.ts';
import { aClient } from '../support/client.ts';
import { statementsOf } from '../support/statements.ts';
import { anOrganization, calledThrough, aTenant, type TestTenant } from '../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

const testsKey = { id: 'tests', key: Buffer.alloc(32, 'k') };
const newKey = { id: 'a-new-and-longer-id', key: Buffer.alloc(32, 'n') };
const both = new KeyRing([newKey, testsKey]);

const keys = (...these: EncryptionKey[]) => ({
  STEWARD_ENCRYPTION_KEYS: these.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(','),
});

/** Ids of the keys that encrypt a column's secrets. */
async function keysOf({ table, column }: { table: string; column: string }): Promise<string[]> {
  const found = await api.database.sql<{ sealed: Buffer }>(
    `select ${column} as sealed from ${table} where ${column} is not null`,
  );
  return [...new Set(found.map(({ sealed }) => keyIdOf(sealed)))];
}

/** A token that is signed with the deployment's secret. */
async function aPageToken(tenant: TestTenant): Promise<void> {
  await anOrganization(tenant);
  await anOrganization(tenant);
  const { nextPageToken } = await tenant.ok('/v2/organizations/get', { pageSize: 1 });
  expect(nextPageToken).toEqual(expect.any(String));
}

async function aSecretInEveryColumn(): Promise<TestTenant> {
  const tenant = await aTenant(api);
  await tenant.ok(
    '/v2/workspace/emailconfig/update',
    { emailServiceConfig: { apiKey: 'secret-email' } },
    { idempotencyKey: 'kept' },
  );
  await aPageToken(tenant);
  const seal = (column: 'secret_enc' | 'old_secret_enc') =>
    api.keyRing.encrypt(
      `whsec-${column}`,
      webhookSecretContext(column, { publicId: 'ep_1', apiKeyId: tenant.id }),
    );
  await api.database.sql(
    `insert into webhook_endpoint (api_key_id, public_id, url, secret_enc, old_secret_enc)
     values ($1, 'ep_1', 'https://example.com', $2, $3)`,
    [tenant.id, seal('secret_enc'), seal('old_secret_enc')],
  );
  const staged = await stageRequest(
    api.orm.em.fork(),
    api.keyRing,
    tenant.id,
    { provider: 'openai', model: 'gpt-4o', oneMessage: false, prompt: 'secret-prompt', text: 'secret-text' },
    undefined,
  );
  await storeStagedResponse(
    api.orm.em.fork(),
    api.keyRing,
    { ...staged, apiKeyId: tenant.id },
    { success: true, text: 'secret-answer', attempts: 1, status: 200 },
  );
  const { data } = await tenant.ok<{ jobId: string }>('/v2/users/data/delete', { userIds: ['secret-user'] });
  await tenant.ok('/v2/jobs/cancel', { jobId: data.jobId });
  return tenant;
}

describe('rotating the keys of the encryption at rest', () => {
  it('covers every encrypted column of the schema', async () => {
    const columns = await api.database.sql<{ name: string }>(
      `select table_name || '.' || column_name as name from information_schema.columns
       where table_schema = 'public' and data_type = 'bytea' and column_name like '%\\_enc'
         and not exists (select from pg_inherits where inhrelid = table_name::regclass) order by 1`,
    );
    expect(encryptedColumns.map(({ table, column }) => `${table}.${column}`).sort()).toEqual(
      columns.map(({ name }) => name).sort(),
    );
  });

  it('reads each column by its primary key', async () => {
    for (const { table, key } of encryptedColumns) {
      const columns = await api.database.sql<{ name: string; type: string }>(
        `select a.attname::text as name, format_type(a.atttypid, null) as type
         from pg_index i cross join unnest(i.indkey) with ordinality as k (number, location)
         join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
         where i.indisprimary and i.indrelid = $1::regclass order by k.location`,
        [table],
      );
      expect(Object.entries(key)).toEqual(columns.map(({ name, type }) => [name, type]));
    }
  });

  it('re-encrypts every secret while an API runs, which then needs only the new key', async () => {
    const tenant = await aSecretInEveryColumn();
    for (const column of encryptedColumns) expect(await keysOf(column)).toEqual(['tests']);
    const rotated = await rotateSecrets(api.orm, both);
    expect(rotated.filter(({ reencrypted, left }) => reencrypted < 1 || left !== 0)).toEqual([]);
    for (const column of encryptedColumns) expect(await keysOf(column)).toEqual([newKey.id]);

    const again = await rotateSecrets(api.orm, both);
    expect(again.reduce((sum, { reencrypted }) => sum + reencrypted, 0)).toBe(0);

    const after = await startTestApi({ database: api.database, environment: keys(newKey) });
    try {
      const caller = calledThrough(after, tenant);
      const email = { emailServiceConfig: { apiKey: 'secret-email' } };
      expect((await caller.ok('/v2/workspace/emailconfig/get')).data).toMatchObject(email);
      const replayed = await caller.call('/v2/workspace/emailconfig/update', email, {
        idempotencyKey: 'kept',
      });
      expect(replayed.headers['idempotent-replayed']).toBe('true');
      const workspace = aClient(after.url, tenant.workspace.headers);
      const { data } = await workspace.ok('/v2/workspace/authtokens/get', { apiKey: tenant.apiKey });
      expect(data).toMatchObject({ authTokens: [{ token: tenant.authToken }] });
      expect((await workspace.ok('/v2/workspace/get')).data).toMatchObject({
        authToken: tenant.workspace.authToken,
      });
      await aPageToken(caller);
    } finally {
      await after.close();
    }
  });

  it('does not overwrite concurrent changes', async () => {
    const busy = await startTestApi({ environment: keys(testsKey, newKey) });
    try {
      const tenant = await aTenant(busy);
      const save = async (number: number): Promise<void> => {
        const emailServiceConfig = { apiKey: `secret-${String(number)}` };
        const { data } = await tenant.ok('/v2/workspace/emailconfig/update', { emailServiceConfig });
        expect(data).toMatchObject({ emailServiceConfig });
      };
      await save(0);
      const rotation = { running: true };
      const writing = (async () => {
        for (let number = 1; rotation.running || number < 20; number += 1) await save(number);
      })();
      for (let run = 0; run < 5; run += 1) await rotateSecrets(busy.orm, both);
      rotation.running = false;
      await writing;
      const rotated = await rotateSecrets(busy.orm, both);
      expect(rotated.every(({ left }) => left === 0)).toBe(true);
      await save(1_000);
    } finally {
      await busy.close();
    }
  });

  it('reads and writes at most 8 MiB of secrets by a statement', async () => {
    const own = await startTestApi();
    try {
      const tenant = await aTenant(own);
      const tokens = Array.from({ length: 12 }, (_, number) => sha256(String(number)));
      const sealed = tokens.map((hash) =>
        own.keyRing.encrypt('t'.repeat(1_000_000), authTokenContext(hash, tenant.id)),
      );
      for (const [at, hash] of tokens.entries())
        await own.database.sql(
          `insert into auth_token (api_key_id, token_hash, token_enc, name) values ($1, $2, $3, '')`,
          [tenant.id, hash, sealed[at]],
        );
      const sent = await statementsOf(async () => {
        const rotated = await rotateSecrets(own.orm, both);
        expect(rotated.every(({ left }) => left === 0)).toBe(true);
      });
      const sizes = sent.map(({ values }) =>
        values.flat().reduce<number>((sum, value) => sum + (Buffer.isBuffer(value) ? value.length : 0), 0),
      );
      // The former and the new value of each secret that a statement has read.
      expect(Math.max(...sizes)).toBeGreaterThan(2_000_000);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(2 * 8_388_608);
      for (const column of await checkSecrets(own.orm.em.fork(), both)) expect(column.unreadable).toBe(0);
    } finally {
      await own.close();
    }
  });

  it('continues after a stop without repeating finished rows', async () => {
    const own = await startTestApi();
    try {
      const tenant = await aTenant(own);
      const tokens = Array.from({ length: 1_200 }, (_, number) => sha256(String(number)));
      await own.database.sql(
        `insert into auth_token (api_key_id, token_hash, token_enc, name)
         select $1, token_hash, token_enc, '' from unnest($2::bytea[], $3::bytea[]) as t (token_hash, token_enc)`,
        [
          tenant.id,
          tokens,
          tokens.map((hash) => own.keyRing.encrypt('token', authTokenContext(hash, tenant.id))),
        ],
      );
      const last = tokens.sort((left, right) => Buffer.compare(left, right)).at(-1);
      const unknown = new KeyRing([{ id: 'lost', key: Buffer.alloc(32) }]);
      const replace = (ring: KeyRing) =>
        own.database.sql('update auth_token set token_enc = $2 where token_hash = $1', [
          last,
          ring.encrypt('token', authTokenContext(last ?? Buffer.alloc(0), tenant.id)),
        ]);
      await replace(unknown);
      await expect(rotateSecrets(own.orm, both)).rejects.toThrow('No encryption key with the id "lost"');
      await replace(own.keyRing);
      const rotated = await rotateSecrets(own.orm, both);
      const { reencrypted } = rotated.find(({ table }) => table === 'auth_token') ?? { reencrypted: 0 };
      expect(reencrypted).toBeGreaterThan(0);
      expect(reencrypted).toBeLessThan(500);
    } finally {
      await own.close();
    }
  });
});
