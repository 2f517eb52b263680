import { afterAll, describe, expect, it } from '@jest/globals';
import type { Finding } from '../../cli/doctor/finding.ts';
import { searchAttributes } from '../../workflows/contract.ts';
import { startTestApi } from '../support/api.ts';
import { runCommand } from '../support/command-line.ts';
import { aDatabase } from '../support/database.ts';
import { serverEnvironment } from '../support/environment.ts';
import { aTenant } from '../support/factories.ts';
import { aNamespace } from '../support/temporal.ts';

// An IP address, because DNS on this machine may time out.
const environment = { ...(await aNamespace()), OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' };
const api = await startTestApi({ environment });
afterAll(async () => {
  process.exitCode = 0;
  await api.close();
});

async function findings(changed: Readonly<Record<string, string>> = {}): Promise<readonly Finding[]> {
  const printed = await runCommand(api, ['doctor', '--json'], { ...environment, ...changed });
  const { findings: found } = JSON.parse(printed) as { findings: Finding[] };
  // The test must not depend on DNS of this machine.
  return found.filter(({ check }) => check !== 'dns');
}

const about = async (check: string, changed: Readonly<Record<string, string>> = {}) =>
  (await findings(changed))
    .filter((one) => one.check === check)
    .map(({ level, text }) => `${level}: ${text}`);

describe('doctor', () => {
  it('prints a sentence for each check, and exits with 0 when none is serious', async () => {
    await aTenant(api);
    const found = await findings();
    expect(found.filter(({ level }) => level === 'serious')).toEqual([]);
    expect(new Set(found.map(({ check }) => check))).toEqual(
      new Set([
        'database',
        'clock',
        'role',
        'migrations',
        'audit log',
        'secrets',
        'processes',
        'temporal',
        'search attributes',
        'sweep',
        'builds',
        'outbound',
        'e-mail',
        'disk',
        'journal',
      ]),
    );
    for (const { text } of found) expect(text).toMatch(/^[A-Z].+[.;]$/s);
    expect(process.exitCode).toBe(0);
    const lines = (await runCommand(api, ['doctor'], environment)).split('\n');
    expect(lines[0]).toMatch(/^ok +database +PostgreSQL \d+/);
  });

  it('exits with 1 and names the problem of the database, without its password', async () => {
    const DATABASE_URL = 'postgres://steward:marked-password@127.0.0.1:1/steward';
    const printed = await runCommand(api, ['doctor'], { ...environment, DATABASE_URL });
    expect(printed).toMatch(/^serious +database +The database of DATABASE_URL does not respond/);
    expect(printed).not.toContain('marked-password');
    expect(process.exitCode).toBe(1);
  });

  it('finds pending migrations', async () => {
    const database = await aDatabase();
    await database.sql(`delete from schema_migration where name like '2026-11-24%'`);
    const found = await about('migrations', { DATABASE_URL: database.url });
    await database.drop();
    expect(found).toEqual([
      expect.stringMatching(/^serious: \d+ migrations have not run: run npm run cli -- migrate\.$/),
    ]);
  });

  it('finds secrets that the keys do not decrypt', async () => {
    const key = `other:${Buffer.alloc(32, 7).toString('base64')}`;
    expect(await about('secrets', { STEWARD_ENCRYPTION_KEYS: key })).toEqual([
      expect.stringMatching(
        /^serious: STEWARD_ENCRYPTION_KEYS does not decrypt \d+ of \d+ sampled secrets \(.*api_key\.key_enc/,
      ),
    ]);
    expect(await about('secrets')).toEqual([
      expect.stringMatching(/^ok: STEWARD_ENCRYPTION_KEYS decrypts all \d+ sampled secrets\.$/),
    ]);
  });

  it('finds settings that the role lacks', async () => {
    const [{ role, name } = { role: '', name: '' }] = await api.database.sql<{ role: string; name: string }>(
      'select session_user::text as role, current_database()::text as name',
    );
    await api.database.sql(`alter role "${role}" in database "${name}" set statement_timeout = '9000'`);
    const found = await about('role', { DATABASE_URL: api.database.directUrl });
    await api.database.sql(`alter role "${role}" in database "${name}" set statement_timeout = '10000'`);
    expect(found).toEqual([expect.stringContaining('warning: The database role lacks settings; run as')]);
  });

  it('finds that Temporal does not respond, and which search attributes and Schedule it lacks', async () => {
    expect(await about('temporal', { TEMPORAL_ADDRESS: '127.0.0.1:1' })).toEqual([
      expect.stringContaining('serious: Temporal does not respond within 5 s'),
    ]);
    // No worker has prepared the namespace.
    const [attributes] = await about('search attributes');
    if (attributes?.startsWith('warning') === true) {
      for (const name of Object.values(searchAttributes)) expect(attributes).toContain(name);
    }
    expect(await about('sweep')).toEqual([
      'warning: Temporal has no Schedule steward-sweep: start a worker, which creates it.',
    ]);
  });

  it.each([
    ['0.0.0.0/0', 'serious: STEWARD_OUTBOUND_ALLOWED_NETWORKS allows customers'],
    ['169.254.0.0/16', 'serious: STEWARD_OUTBOUND_ALLOWED_NETWORKS allows customers'],
    ['127.0.0.0/8', 'warning: STEWARD_OUTBOUND_ALLOWED_NETWORKS allows customers'],
    ['10.0.0.0/8', 'ok: '],
  ])('judges the outbound networks %s', async (networks, expected) => {
    const found = await about('outbound', { STEWARD_OUTBOUND_ALLOWED_NETWORKS: networks });
    expect(found).toEqual([expect.stringContaining(expected)]);
  });

  it.each([
    [{}, 'warning: STEWARD_SMTP_URL is not set: e-mails of keys without SendGrid wait.'],
    [{ STEWARD_SMTP_URL: 'file:///mails' }, 'ok: E-mails become files of the data folder.'],
    [
      { STEWARD_SMTP_URL: 'smtp://mail.example.com' },
      'warning: STEWARD_PUBLIC_URL is no https URL: e-mails have no unsubscribe link.',
    ],
  ])('judges whether e-mails can be sent: %j', async (variables, expected) => {
    const mail = { STEWARD_MAIL_FROM: 'steward@example.com', ...variables };
    expect(await about('e-mail', mail)).toEqual([expected]);
  });

  it('warns of a missing worker, and of processes of several builds', async () => {
    expect(await about('processes')).toEqual(['warning: No worker process is running.']);
    await api.database.sql(
      `insert into process (id, kind, version, build_id, host, started_at)
       values ('proc_worker', 'worker', '1', 'other', 'host', now())`,
    );
    expect(await about('processes')).toEqual(['warning: Processes of 2 builds are running.']);
  });

  it('does not print a secret of its environment', async () => {
    const secrets = serverEnvironment(api.database.url, {});
    const printed = JSON.stringify(await findings());
    for (const name of ['STEWARD_ENCRYPTION_KEYS', 'STEWARD_OPERATOR_TOKEN'] as const)
      expect(printed).not.toContain(secrets[name]);
  });
});
