import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { failureOf, OutputFailure } from '../../cli/failure.ts';
import { runCommandLine } from '../../cli/run-command-line.ts';
import { dailyTableNames } from '../../domain/maintenance/day-partitions.ts';
import { keyIdOf } from '../../platform/encryption/key-ring.ts';
import { startTestApi } from '../support/api.ts';
import { aClient } from '../support/client.ts';
import { aDatabase, anEmptyDatabase } from '../support/database.ts';
import { serverEnvironment } from '../support/environment.ts';
import { aTenant } from '../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

const root = fileURLToPath(new URL('../..', import.meta.url));
const owner = ['--owner-email', 'owner@example.com'];

interface Ran {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

interface Surroundings {
  readonly url?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs a command as `cli/main.ts` does, in this process: one of its own takes half a second of the processor. */
async function cli(
  commandLine: readonly string[],
  { url = api.database.url, environment = {} }: Surroundings = {},
): Promise<Ran> {
  const printed = { out: '', err: '' };
  const before = process.exitCode;
  process.exitCode = 0;
  await runCommandLine(commandLine, {
    environment: { ...serverEnvironment(url), ...environment },
    write: (text) => void (printed.out += text),
    writeError: (text) => void (printed.err += text),
  });
  const { exitCode } = process;
  process.exitCode = before;
  return { exitCode, ...printed };
}

/** Runs the command line as an operator would. */
async function cliProcess(
  commandLine: readonly string[],
  { url = api.database.url, environment = {} }: Surroundings = {},
): Promise<Ran> {
  const { NODE_OPTIONS: _jests, ...inherited } = process.env;
  const env = { ...inherited, ...serverEnvironment(url), ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, ['cli/main.ts', ...commandLine], { cwd: root, env }, (error, out, err) => {
      resolve({ exitCode: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

const refusedText =
  'PostgreSQL does not respond, or refuses the connection. Check DATABASE_URL, DATABASE_PASSWORD and, for migrate, DATABASE_DIRECT_URL.';

/** Removes the lines that a migration prints every 3 s, so only on a slow machine. */
function withoutProgress({ err, ...ran }: Ran): Ran {
  const lines = err.split('\n').filter((line) => !line.startsWith('…'));
  return { ...ran, err: lines.join('\n') };
}

async function json<Value>(commandLine: readonly string[]): Promise<Value> {
  const { exitCode, out, err } = await cli([...commandLine, '--json']);
  if (exitCode !== 0) throw new Error(err);
  return JSON.parse(out) as Value;
}

describe('npm run cli', () => {
  it('accepts the address of an owner in any script, as the API does', async () => {
    const { exitCode, err } = await cli(['workspace', 'create', '--owner-email', 'jürgen@müller.example']);
    expect([exitCode, err]).toEqual([0, '']);
  });

  it('names a reader that has left, also of a help text', async () => {
    const write = async (): Promise<void> => Promise.reject(new OutputFailure(new Error('write EPIPE')));
    const lines: string[] = [];
    const before = process.exitCode;
    for (const commandLine of [['--help'], ['keys', '--help'], ['doctor'], ['config']]) {
      process.exitCode = 0;
      const environment = serverEnvironment(api.database.url);
      await runCommandLine(commandLine, { environment, write, writeError: (text) => void lines.push(text) });
      expect(process.exitCode).toBe(1);
    }
    process.exitCode = before;
    expect(new Set(lines)).toEqual(
      new Set(['The output was not written: write EPIPE. What the command changes, it has changed.\n']),
    );
    expect((await cli(['keys', '--help'])).out).toMatch(/^Usage: /);
  });

  it('migrates an empty database, and reports it up to date the next time', async () => {
    const database = await anEmptyDatabase();
    try {
      const first = withoutProgress(await cliProcess(['migrate'], database));
      expect(first).toMatchObject({
        exitCode: 0,
        out: expect.stringMatching(/^Migrated: 2026-/),
        err: expect.stringMatching(
          /^Migrating the database: (\d+) migrations …\n(?:….*\n)*.*: \1 of \1 migrations\.\n$/,
        ),
      });
      // Today's rows of a daily table never go to its default partition.
      const days = await database.sql<{ table: string; days: number }>(
        `select p.relname as table, count(*)::int as days from pg_inherits i join pg_class p on p.oid = i.inhparent
           join pg_class c on c.oid = i.inhrelid
         where p.relkind = 'p' and c.relname >= p.relname || to_char(now() at time zone 'UTC', '_YYYYMMDD')
           and c.relname ~ '_[0-9]{8}$' group by 1 order by 1`,
      );
      expect(days).toEqual(dailyTableNames.toSorted().map((table) => ({ table, days: 8 })));
      const second = withoutProgress(await cliProcess(['migrate'], database));
      expect(second).toEqual({
        exitCode: 0,
        out: 'The database is up to date.\n',
        err: '',
      });
    } finally {
      await database.drop();
    }
  });

  it('migrates a restored database, and reports the restore once', async () => {
    const database = await aDatabase();
    try {
      expect(withoutProgress(await cliProcess(['migrate'], database)).err).toBe('');
      await database.sql(`update restore_state set identity = left(identity, -8) || '000000FF'`);
      const detected = /^A restore was detected\. Webhooks carry the epoch \d{10} from now on\.\n$/;
      expect(withoutProgress(await cliProcess(['migrate'], database)).err).toMatch(detected);
      expect(withoutProgress(await cliProcess(['migrate'], database)).err).toBe('');
    } finally {
      await database.drop();
    }
  });

  it('prints how to migrate a database that is not migrated', async () => {
    const database = await anEmptyDatabase();
    try {
      expect(await cli(['workspace', 'create', ...owner], database)).toEqual({
        exitCode: 1,
        out: '',
        err: 'The database is not migrated. Run: npm run cli -- migrate\n',
      });
    } finally {
      await database.drop();
    }
  });

  it('creates a workspace and a key whose credentials work', async () => {
    const workspace = await json<{ workspaceId: string; workspaceAuthToken: string }>([
      'workspace',
      'create',
      ...owner,
      '--name',
      'Acme',
    ]);
    const key = await json<{ apiKey: string; authToken: string }>([
      'key',
      'create',
      '--workspace',
      workspace.workspaceId,
      ...owner,
      '--type',
      'production',
      '--name',
      'Live',
    ]);
    const client = aClient(api.url, {
      'x-svc-workspace-id': workspace.workspaceId,
      'x-svc-workspace-auth-token': workspace.workspaceAuthToken,
    });
    const { data } = await client.ok('/v2/workspace/apikeys/get');
    expect(data).toEqual([{ id: key.apiKey, apiKeyName: 'Live', type: 'production' }]);
    const tenant = aClient(api.url, { 'x-svc-api-key': key.apiKey, 'x-svc-auth-token': key.authToken });
    await tenant.ok('/v2/organizations/get');
  });

  it('prints one line per member without --json', async () => {
    const { out } = await cli(['workspace', 'create', ...owner]);
    expect(out).toMatch(/^workspaceId: ws_\S+\nname: owner\nworkspaceAuthToken: wst_\S+\n$/);
  });

  it('signs tokens with a new key, unless the encryption keys are wrong', async () => {
    const { kid } = await json<{ kid: string }>(['token-key', 'rotate']);
    const { kid: next } = await json<{ kid: string }>(['token-key', 'rotate']);
    const keys = await api.database.sql(
      `select kid, retired_at is null as current from signing_key where purpose = 'jwt' order by created_at`,
    );
    expect(keys).toEqual([
      { kid, current: false },
      { kid: next, current: true },
    ]);
    const environment = { STEWARD_ENCRYPTION_KEYS: `tests:${Buffer.alloc(32, 'w').toString('base64')}` };
    expect(await cli(['token-key', 'rotate'], { environment })).toEqual({
      exitCode: 1,
      out: '',
      err: 'STEWARD_ENCRYPTION_KEYS does not decrypt the stored secrets. Run: npm run cli -- doctor\n',
    });
  });

  it('re-encrypts secrets with the first key', async () => {
    await aTenant(api);
    const { STEWARD_ENCRYPTION_KEYS = '' } = serverEnvironment(api.database.url);
    const fresh = `fresh:${Buffer.alloc(32, 'f').toString('base64')}`;
    const environment = { STEWARD_ENCRYPTION_KEYS: `${fresh},${STEWARD_ENCRYPTION_KEYS}` };
    const { exitCode, out } = await cli(['keys', 'rotate'], { environment });
    expect([exitCode, out.split('\n').at(-2)]).toEqual([0, 'Every secret is encrypted with fresh.']);
    const sealed = await api.database.sql<{ key_enc: Buffer }>('select key_enc from api_key');
    expect(new Set(sealed.map(({ key_enc }) => keyIdOf(key_enc)))).toEqual(new Set(['fresh']));
    const without = await cli(['keys', 'rotate']);
    expect(without).toEqual({
      exitCode: 1,
      out: '',
      err: expect.stringMatching(
        /^No encryption key with the id "fresh" .* Add it to STEWARD_ENCRYPTION_KEYS, after the first\.\n$/,
      ),
    });
  });

  it('prints a new environment that it accepts', async () => {
    const [first, second] = [await cli(['environment']), await cli(['environment'])];
    expect(first.out).toContain('STEWARD_ENCRYPTION_KEYS=');
    expect(first.out).not.toBe(second.out);
    const generated = await json<Record<string, string>>(['environment']);
    expect((await cli(['config'], { environment: generated })).exitCode).toBe(0);
  });

  it('shows the configuration without its secrets', async () => {
    const { exitCode, out } = await cli(['config'], {
      environment: { STEWARD_OPERATOR_TOKEN: 'hidden-token' },
    });
    expect([exitCode, out.includes('STEWARD_OPERATOR_TOKEN'), out.includes('hidden-token')]).toEqual([
      0,
      true,
      false,
    ]);
    expect((await cli(['config'], { environment: { PORT: 'many' } })).exitCode).toBe(2);
  });

  it('shows in the configuration why a file with a secret cannot be used, with exit code 2', async () => {
    const absent = await cli(['config'], {
      environment: { STEWARD_ENCRYPTION_KEYS: '', STEWARD_ENCRYPTION_KEYS_FILE: '/absent/keys' },
    });
    expect(absent.exitCode).toBe(2);
    expect(absent.out).toContain(
      'rejected: STEWARD_ENCRYPTION_KEYS_FILE was "/absent/keys"; the file cannot be read (ENOENT).\n',
    );
    const both = await cli(['config'], { environment: { STEWARD_ENCRYPTION_KEYS_FILE: '/absent/keys' } });
    expect(both.exitCode).toBe(2);
    expect(both.out).toContain('; STEWARD_ENCRYPTION_KEYS is set too: set one of them.\n');
  });

  it('refuses an unknown command in one line with exit code 2', async () => {
    const { exitCode, out, err } = await cliProcess(['dance']);
    expect([exitCode, out, err.trimEnd().split('\n').length]).toEqual([2, '', 1]);
    expect(err).toContain('unknown command');
  });

  it.each([
    [['workspace', 'create'], /--owner-email/],
    [['workspace', 'create', '--owner-email', 'nobody'], /--owner-email must be an e-mail address/],
    [['key', 'create', '--workspace', 'ws_1', ...owner, '--type', 'gold'], /testing or production/],
    [['workspace', 'create', ...owner, '--name', ''], /--name must be/],
    [['migrate', '--fast'], /unknown option/],
    [['deploy', 'ramp', '--percentage', ''], /--percentage must be a number from 0 to 100/],
    [['deploy', 'ramp', '--percentage', ' '], /--percentage must be a number from 0 to 100/],
    [['deploy', 'ramp', '--percentage', '0', '--wait', ''], /--wait must be whole seconds from 0 to 3600/],
    [['deploy', 'ramp', '--percentage', '0', '--wait', '-1'], /--wait must be whole seconds from 0 to 3600/],
    [['deploy', 'current', '--build-id', ''], /--build-id must be a text that is not empty/],
  ])('refuses %j in one line with exit code 2', async (commandLine, expected) => {
    const { exitCode, out, err } = await cli(commandLine);
    expect([exitCode, out, err.trimEnd().split('\n').length]).toEqual([2, '', 1]);
    expect(err).toMatch(expected);
  });

  it.each([
    ['DATABASE_URL', ''],
    ['DATABASE_URL', 'mysql://somewhere/else'],
    ['STEWARD_ENCRYPTION_KEYS', ''],
    ['STEWARD_ENCRYPTION_KEYS', 'short'],
  ])('refuses %s=%s in one line with exit code 2', async (name, value) => {
    const { exitCode, out, err } = await cli(['workspace', 'create', ...owner], {
      environment: { [name]: value },
    });
    expect([exitCode, out, err.trimEnd().split('\n').length]).toEqual([2, '', 1]);
    expect(err).toContain(name);
  });

  it.each([
    [['migrate'], 'password', 'changed'],
    [['workspace', 'create', ...owner], 'password', 'changed'],
    [['workspace', 'create', ...owner], 'pathname', '/absent'],
  ] as const)(
    'exits with 1 when PostgreSQL refuses the connection of %j: %s',
    async (commandLine, part, value) => {
      const url = new URL(api.database.directUrl);
      url[part] = value;
      expect(await cli(commandLine, { url: url.href })).toEqual({
        exitCode: 1,
        out: '',
        err: `${refusedText}\n`,
      });
    },
  );

  it('exits with 1 and the reason when a connection cannot be opened otherwise', async () => {
    const url = new URL(api.database.directUrl);
    url.search = '?sslmode=verify-full';
    const err = 'The server does not support SSL connections\n';
    for (const commandLine of [['migrate'], ['workspace', 'create', ...owner]])
      expect(await cli(commandLine, { url: url.href })).toEqual({ exitCode: 1, out: '', err });
  });

  it('names the remedy when the role may not change the schema, or not write', async () => {
    const database = await anEmptyDatabase();
    const role = `visitor_${String(process.pid)}`;
    await database.sql(`create role ${role} login password 'visitor'`);
    const visitor = (directUrl: string): string => {
      const url = new URL(directUrl);
      [url.username, url.password] = [role, 'visitor'];
      return url.href;
    };
    try {
      expect(await cli(['migrate'], { url: visitor(database.directUrl) })).toEqual({
        exitCode: 1,
        out: '',
        err: expect.stringMatching(/^The role may not change the schema\. Run migrate as the owner .*\n$/),
      });
      expect(await cli(['workspace', 'create', ...owner], { url: visitor(api.database.directUrl) })).toEqual({
        exitCode: 1,
        out: '',
        err: expect.stringMatching(/^The role of DATABASE_URL lacks a privilege\. Run migrate .*\n$/),
      });
    } finally {
      await database.drop();
      await api.database.sql(`drop role ${role}`);
    }
  });

  it('names the SQLSTATE when PostgreSQL responds and cannot work', () => {
    const { text } = failureOf(Object.assign(new Error('out of space'), { code: '53100' }));
    expect(text).toMatch(/^PostgreSQL cannot do this work now \(SQLSTATE 53100\)\. Remove the cause /);
  });

  it('exits with 1 and one line when the database is unavailable or the workspace unknown', async () => {
    const away = await cliProcess(['migrate'], { url: 'postgres://postgres@127.0.0.1:1/postgres' });
    expect([away.exitCode, away.out, away.err]).toEqual([1, '', `${refusedText}\n`]);
    expect(await cli(['key', 'create', '--workspace', 'ws_unknown', ...owner])).toEqual({
      exitCode: 1,
      out: '',
      err: 'No workspace has that id. List the ids: npm run cli -- workspaces list\n',
    });
  });
});
