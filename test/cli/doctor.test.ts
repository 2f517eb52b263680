import { afterAll, describe, expect, it } from '@jest/globals';
import type { Finding } from '../../cli/doctor/finding.ts';
import { searchAttributes } from '../../workflows/contract.ts';
import { startTestApi } from '../support/api.ts';
import { runCommand } from '../support/command-line.ts';
import { aDatabase } from '../support/database.ts';
import { serverEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { aTenant } from '../support/factories.ts';
import { aNamespace } from '../support/temporal.ts';
import { aListeningTenant } from '../support/webhooks.ts';

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

/** Checks again when a slow machine did not respond within the limits of the checks, of 2 to 10 s. */
const expectAbout = async (
  check: string,
  expected: readonly unknown[],
  changed: Readonly<Record<string, string>> = {},
): Promise<void> => eventually(async () => expect(await about(check, changed)).toEqual(expected));

describe('doctor', () => {
  it('prints a sentence for each check, and exits with 0 when none is serious', async () => {
    await aTenant(api);
    // Again when a slow machine did not respond within the limits of the checks, of 2 to 10 s.
    await eventually(async () => {
      const found = await findings();
      expect(found.filter(({ level }) => level === 'serious')).toEqual([]);
      expect(process.exitCode).toBe(0);
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
      const lines = (await runCommand(api, ['doctor'], environment)).split('\n');
      expect(lines[0]).toMatch(/^ok +database +PostgreSQL \d+/);
    });
  });

  it('exits with 1 and names the problem of the database, without its password', async () => {
    const DATABASE_URL = 'postgres://steward:marked-password@127.0.0.1:1/steward';
    const printed = await runCommand(api, ['doctor'], { ...environment, DATABASE_URL });
    expect(printed).toMatch(
      /^serious +database +PostgreSQL does not respond, or refuses the connection: check DATABASE_URL/,
    );
    expect(printed).not.toContain('marked-password');
    expect(process.exitCode).toBe(1);
  });

  it('finds pending migrations', async () => {
    const database = await aDatabase();
    await database.sql(`delete from schema_migration where name like '2026-11-24%'`);
    const pending = /^serious: \d+ migrations have not run: run npm run cli -- migrate\.$/;
    await expectAbout('migrations', [expect.stringMatching(pending)], { DATABASE_URL: database.url });
    await database.drop();
  });

  it('finds secrets that the keys do not decrypt', async () => {
    const key = `other:${Buffer.alloc(32, 7).toString('base64')}`;
    const broken =
      /^serious: STEWARD_ENCRYPTION_KEYS does not decrypt \d+ of \d+ sampled secrets \(.*api_key\.key_enc.*\): add the keys that/;
    await expectAbout('secrets', [expect.stringMatching(broken)], { STEWARD_ENCRYPTION_KEYS: key });
    const intact = /^ok: STEWARD_ENCRYPTION_KEYS decrypts all \d+ sampled secrets\.$/;
    await expectAbout('secrets', [expect.stringMatching(intact)]);
  });

  it('finds settings that the role lacks', async () => {
    const [{ role, name } = { role: '', name: '' }] = await api.database.sql<{ role: string; name: string }>(
      'select session_user::text as role, current_database()::text as name',
    );
    await api.database.sql(`alter role "${role}" in database "${name}" set statement_timeout = '9000'`);
    const lacking = expect.stringContaining('warning: The database role lacks settings; run as');
    await expectAbout('role', [lacking], { DATABASE_URL: api.database.directUrl });
    await api.database.sql(`alter role "${role}" in database "${name}" set statement_timeout = '10000'`);
  });

  it('finds that Temporal does not respond, and which search attributes and Schedule it lacks', async () => {
    expect(await about('temporal', { TEMPORAL_ADDRESS: '127.0.0.1:1' })).toEqual([
      expect.stringMatching(
        /^serious: Temporal at 127\.0\.0\.1:1 does not respond within 5 s.*: check TEMPORAL_ADDRESS, /,
      ),
    ]);
    // No worker has prepared the namespace.
    await eventually(async () => {
      const [attributes] = await about('search attributes');
      if (attributes?.startsWith('warning') === true)
        for (const name of Object.values(searchAttributes)) expect(attributes).toContain(name);
    });
    await expectAbout('sweep', [
      'warning: The Schedule steward-sweep could not be read. If Temporal has none, start a worker: it creates the Schedule.',
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
    [
      { STEWARD_SMTP_URL: 'file:///mails' },
      'ok: E-mails are written to files in the folder of STEWARD_SMTP_URL.',
    ],
    [
      { STEWARD_SMTP_URL: 'smtp://mail.example.com' },
      'warning: STEWARD_PUBLIC_URL is not an https URL: e-mails have no unsubscribe link.',
    ],
  ])('judges whether e-mails can be sent: %j', async (variables, expected) => {
    const mail = { STEWARD_MAIL_FROM: 'steward@example.com', ...variables };
    expect(await about('e-mail', mail)).toEqual([expected]);
  });

  it('warns of a missing worker, and of processes of several builds', async () => {
    const noWorker = 'warning: No worker process is running: start one, or read the end of its log.';
    await expectAbout('processes', [noWorker]);
    await api.database.sql(
      `insert into process (id, kind, version, build_id, host, started_at, heartbeat_at)
       values ('proc_killed', 'worker', '1', 'other', 'host', now(), now() - interval '2 minutes')`,
    );
    await expectAbout('processes', [noWorker]);
    await expectAbout('builds', ['warning: No worker polls Temporal: start one.']);
    await api.database.sql(
      `insert into process (id, kind, version, build_id, host, started_at)
       values ('proc_worker', 'worker', '1', 'other', 'host', now())`,
    );
    await expectAbout('processes', [
      'warning: Processes of 2 builds are running: after an upgrade, stop those of the former build.',
    ]);
  });

  it('does not print a secret of its environment', async () => {
    const secrets = serverEnvironment(api.database.url, {});
    const printed = JSON.stringify(await findings());
    for (const name of ['STEWARD_ENCRYPTION_KEYS', 'STEWARD_OPERATOR_TOKEN'] as const)
      expect(printed).not.toContain(secrets[name]);
  });

  // Last: it starts jobs, which register search attributes that an earlier test misses.
  it('finds API keys with advanced webhooks from before a switch to Svix', async () => {
    const svix = { STEWARD_WEBHOOK_PROVIDER: 'svix' };
    await aListeningTenant(api);
    const tenant = await aListeningTenant(api);
    await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: false });
    await expectAbout('webhooks', []);
    await expectAbout(
      'webhooks',
      [expect.stringMatching(/^serious: API keys with advanced webhooks .*: 1\. /)],
      svix,
    );
    await api.database.sql(`update webhook_application set provider = 'svix'`);
    await expectAbout(
      'webhooks',
      ['ok: Every API key with advanced webhooks has an application at Svix.'],
      svix,
    );
  });
});
