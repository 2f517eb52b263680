import { execFile } from 'node:child_process';
import { mkdtemp, readFile, realpath, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import type { DemoFile } from '../local/demo-file.ts';
import { takeDataFolder } from '../local/data-folder.ts';
import { localSecrets } from '../local/local-secrets.ts';
import { removeCluster } from '../local/postgres-cluster.ts';
import { ownVersion } from '../platform/process/own-version.ts';
import { expectProven, runDemo } from './cli/demo-run.ts';
import { cliBeside, demoOf, killAll, living, npmStart } from './start/npm-start.ts';
import type { Start } from './start/npm-start.ts';
import { aClient } from './support/client.ts';
import type { TestClient } from './support/client.ts';
import { signIn } from './support/console.ts';
import { eventually } from './support/eventually.ts';
import { inFull } from './support/tier.ts';

let data: string;
let start: Start;
let demo: DemoFile;

const client = (): TestClient =>
  aClient(demo.baseUrl, { 'x-svc-api-key': demo.apiKey, 'x-svc-auth-token': demo.authToken });

const organizationIds = async (): Promise<readonly string[]> =>
  (await client().ok<{ id: string }[]>('/v2/organizations/get', {})).data.map(({ id }) => id);

const notRunning = () => ({
  exitCode: 1,
  out: '',
  err: `PostgreSQL of npm start is not running (data folder ${data}): run npm start, or set DATABASE_URL.\n`,
});

beforeAll(async () => {
  data = join(await mkdtemp(join(tmpdir(), 'start-')), 'data');
  start = npmStart(data);
  demo = await start.ready();
  await client().ok('/v2/organizations/add', {
    organizations: [{ organizationId: 'kept', organizationName: 'Kept over every restart' }],
  });
});

afterAll(async () => {
  start.child.kill('SIGTERM');
  await start.ended();
  await removeCluster(join(data, 'postgres'));
});

describe('npm start', () => {
  it('prints an address and a call to paste, and the call succeeds', async () => {
    const [call = 'none'] = /curl -s [^]*?'\{"data": \{\}\}'/.exec(start.output()) ?? [];
    const { stdout } = await promisify(execFile)('sh', ['-c', call]);
    expect(JSON.parse(stdout)).toMatchObject({ result: { status: 'success' } });
    expect(start.output()).toContain(`API          ${demo.baseUrl}\n`);
    expect(start.output()).toContain(`Temporal UI  ${String(demo.temporalUiUrl)}\n`);
  });

  it('prints a link that signs in to the demo workspace once, and builds the console', async () => {
    const [, code = 'none'] = /\/console#code=(\S+)/.exec(start.output()) ?? [];
    const browser = await signIn({ url: demo.baseUrl }, { code });
    expect(browser.session).toMatchObject({ kind: 'workspace', actor: 'Demo' });
    await expect(signIn({ url: demo.baseUrl }, { code })).rejects.toThrow('Invalid sign-in link');
    const page = await eventually(async () => {
      const response = await fetch(`${demo.baseUrl}/console/sign-in`);
      return response.ok && response;
    });
    const [, script = 'none'] = /<script type="module"[^>]* src="([^"]+)"/.exec(await page.text()) ?? [];
    const { headers } = await fetch(`${demo.baseUrl}${script}`);
    expect(headers.get('cache-control')).toContain('immutable');
  });

  it('prints that documents are open by default, and the page that explains how to restrict them', async () => {
    expect(start.output()).toContain('Documents are open by default: any user may edit them.');
    const [page = 'none'] = /docs\/[\w-]+\.md/.exec(start.output()) ?? [];
    const text = await readFile(fileURLToPath(new URL(`../${page}`, import.meta.url)), 'utf8');
    expect(text).toContain('defaultDocumentAccessType');
  });

  it('writes demo.json, readable by its owner only', async () => {
    expect((await stat(join(data, 'demo.json'))).mode & 0o777).toBe(0o600);
    expect(demo.mailsDir).toBe(join(data, 'mails'));
    expect((await stat(join(data, 'secrets.json'))).mode & 0o777).toBe(0o600);
    expect((await stat(data)).mode & 0o777).toBe(0o700);
    expect(await living(demo)).toEqual(['supervisor', 'api', 'worker', 'postgres', 'temporal']);
    expect((await fetch(String(demo.temporalUiUrl))).status).toBe(200);
  });

  it('prints the path of the database and, as root, PostgreSQL’s user', async () => {
    const cluster = await realpath(join(data, 'postgres', 'cluster'));
    const runsAs = process.getuid?.() === 0 ? ', running as the user postgres (uid ' : '.';
    expect(start.output()).toContain(`PostgreSQL: data in ${cluster}${runsAs}`);
  });

  it('allows the CLI to find its database and secrets', async () => {
    const owner = ['--owner-email', 'owner@example.com', '--json'];
    const made = await cliBeside(data, ['workspace', 'create', ...owner]);
    expect(made).toMatchObject({ exitCode: 0, err: '' });
    const workspace = JSON.parse(made.out) as { workspaceId: string; workspaceAuthToken: string };
    const client = aClient(demo.baseUrl, {
      'x-svc-workspace-id': workspace.workspaceId,
      'x-svc-workspace-auth-token': workspace.workspaceAuthToken,
    });
    // Encrypted with the keys of the API, which otherwise could not read the workspace.
    await client.ok('/v2/workspace/get');
    const key = await cliBeside(data, ['key', 'create', '--workspace', workspace.workspaceId, ...owner]);
    const { apiKey, authToken } = JSON.parse(key.out) as { apiKey: string; authToken: string };
    const tenant = aClient(demo.baseUrl, { 'x-svc-api-key': apiKey, 'x-svc-auth-token': authToken });
    await tenant.ok('/v2/organizations/get', {});
    expect(await cliBeside(data, ['keys', 'rotate'])).toMatchObject({ exitCode: 0 });
    expect(await cliBeside(data, ['migrate'])).toMatchObject({ exitCode: 0 });
  });

  it('makes the build of its worker current, and runs with networks that doctor checks', async () => {
    const findings = await eventually(async () => {
      const { out } = await cliBeside(data, ['doctor', '--json']);
      expect(out).toContain(`Workers of build ${ownVersion} get the work.`);
      return (JSON.parse(out) as { findings: readonly object[] }).findings;
    });
    expect(findings).toContainEqual({
      check: 'outbound',
      level: 'warning',
      text: "STEWARD_OUTBOUND_ALLOWED_NETWORKS allows customers' URLs to reach this machine: name only networks that these URLs need.",
    });
  });

  it('allows npm run config to show its values with secrets masked', async () => {
    const { exitCode, out } = await cliBeside(data, ['config']);
    expect(exitCode).toBe(0);
    const port = new URL(demo.databaseUrl).port;
    expect(out).toContain(
      `"postgres://postgres:***@127.0.0.1:${port}/steward?sslmode=disable" (from npm start on ${data})`,
    );
    expect(out).toContain(`"***" (43 characters, not shown) (from npm start on ${data})`);
    for (const secret of [demo.operatorToken, new URL(demo.databaseUrl).password]) {
      expect(out).not.toContain(secret);
    }
  });

  it('does not use its secrets for another database of the environment', async () => {
    const create = ['workspace', 'create', '--owner-email', 'owner@example.com'];
    const other = new URL(demo.databaseUrl);
    other.pathname = '/another';
    expect(await cliBeside(data, create, { DATABASE_URL: other.href })).toEqual({
      exitCode: 2,
      out: '',
      err: 'STEWARD_ENCRYPTION_KEYS is not set: set the value that API and worker have.\n',
    });
    expect(await cliBeside(data, create, { DATABASE_URL: demo.databaseUrl })).toMatchObject({ exitCode: 0 });
  });

  it('serves npm run demo, whose checks of migrations, events and deletions pass', async () => {
    const { exitCode, output } = await runDemo({ STEWARD_DATA_DIR: data });
    expectProven(output);
    expect(exitCode).toBe(0);
    expect(await living(demo)).toHaveLength(5);
  });

  it('rejects a second start on one data folder in one line', async () => {
    const second = npmStart(data);
    expect(await second.ended()).toBe(1);
    expect(second.output()).toMatch(
      /^Steward already runs on the data folder .*\(process \d+\): stop it, .*\n$/,
    );
    expect(await living(demo)).toHaveLength(5);
  });

  // In npm test, test/local/keep-running.test.ts restarts a component, and the test below kills the supervisor of all.
  if (inFull) {
    it.each(['api', 'worker', 'postgres', 'temporal'] as const)(
      'restarts %s when it is killed, updates demo.json and loses no data',
      async (name) => {
        const before = (await demoOf(data)).pids[name];
        process.kill(Number(before), 'SIGKILL');
        demo = await eventually(async () => {
          const now = await demoOf(data);
          return now.pids[name] !== before && now;
        });
        expect(await eventually(organizationIds)).toContain('kept');
        expect(await living(demo)).toHaveLength(5);
      },
    );
  }

  it('recovers from a kill of its supervisor, replaces leftover programs, and keeps credentials and data', async () => {
    const before = demo;
    process.kill(before.pids.supervisor, 'SIGKILL');
    await start.ended();
    start = npmStart(data);
    demo = await eventually(async () => {
      const now = await start.ready();
      return now.pids.supervisor !== before.pids.supervisor && now;
    });
    expect(await living(before)).toEqual([]);
    const { apiKey, authToken, workspaceId, operatorToken } = before;
    expect(demo).toMatchObject({ apiKey, authToken, workspaceId, operatorToken });
    expect(await organizationIds()).toContain('kept');
  });

  if (inFull) {
    it('recovers from a kill of all processes', async () => {
      const before = demo;
      killAll(before);
      await start.ended();
      await eventually(async () => expect(await cliBeside(data, ['migrate'])).toEqual(notRunning()));
      start = npmStart(data);
      demo = await eventually(async () => {
        const now = await start.ready();
        return now.pids.supervisor !== before.pids.supervisor && now;
      });
      expect(await organizationIds()).toContain('kept');
    });

    it('reports a missing file of the deletion journal, and runs until the CLI accepts the loss', async () => {
      const database = new Client({ connectionString: demo.databaseUrl });
      await database.connect();
      await database.query(`insert into deletion_journal_file (name, checked_bytes, modified_at)
        values ('lost.journal', 1, now())`);
      await database.end();
      start.child.kill('SIGTERM');
      await start.ended();
      start = npmStart(data);
      demo = await start.ready();
      expect(start.output()).toContain(
        'The API does not serve customers. The deletion journal lacks files or records.',
      );
      expect(await (await fetch(`${demo.baseUrl}/readyz`)).json()).toMatchObject({
        deletionJournal: 'lossy',
      });
      expect(await cliBeside(data, ['deletions', 'replay', '--accept-loss'])).toMatchObject({ exitCode: 0 });
      await eventually(() => start.output().includes('Steward is ready'));
      expect(await organizationIds()).toContain('kept');
    });
  }

  it('stops all components in order at SIGINT, exits with 0 and removes demo.json', async () => {
    start.child.kill('SIGINT');
    expect(await start.ended()).toBe(0);
    expect(await living(demo)).toEqual([]);
    await expect(demoOf(data)).rejects.toThrow('ENOENT');
    expect(start.output()).toMatch(/Steward has stopped\.\n$/);
    expect(await cliBeside(data, ['migrate'])).toEqual(notRunning());
  });

  it('can be stopped during startup and leaves no process', async () => {
    const called = npmStart(data);
    await eventually(() => called.output().includes('Temporal'));
    called.child.kill('SIGTERM');
    expect(await called.ended()).toBe(0);
    expect(await living(demo)).toEqual([]);
  });
});

describe('the CLI', () => {
  it('names the missing variable and exits with 2 when there is no data folder', async () => {
    const none = join(data, 'none');
    expect(await cliBeside(none, ['migrate'])).toEqual({
      exitCode: 2,
      out: '',
      err:
        `DATABASE_URL is not set, and npm start has no data folder at ${none}: ` +
        'run npm start, set STEWARD_DATA_DIR to the folder that it uses, or set DATABASE_URL.\n',
    });
  });

  it('requires the encryption keys of npm start’s environment', async () => {
    const given = join(data, '..', 'given');
    await localSecrets((await takeDataFolder(given)).secrets, { encryptionKeys: 'given' });
    expect(await cliBeside(given, ['keys', 'rotate'])).toEqual({
      exitCode: 2,
      out: '',
      err: 'STEWARD_ENCRYPTION_KEYS is not set; npm start used the value of its environment, so set the same value here.\n',
    });
  });
});

describe('npm start fails with one line for', () => {
  it('a port in use, with the remedy and exit code 1', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const refused = npmStart(data, { PORT: String(port) });
    expect(await refused.ended()).toBe(1);
    expect(refused.output()).toBe(
      `Port ${port} on 127.0.0.1 is in use: stop the program that listens there, or choose another with PORT ` +
        `(PORT=${port + 1} npm start; PORT=0 selects a free one).\n`,
    );
    other.close();
  });

  it('an invalid variable, with its value, the allowed values and exit code 2', async () => {
    const refused = npmStart(data, { PORT: 'eighty' });
    expect(await refused.ended()).toBe(2);
    expect(refused.output()).toBe('PORT was "eighty"; it may be a whole number from 0 to 65535.\n');
  });

  it('another error after the warning about an unknown STEWARD_ variable', async () => {
    const refused = npmStart(data, { PORT: 'eighty', STEWARD_RATE_LIMT: '5' });
    expect(await refused.ended()).toBe(2);
    expect(refused.output()).toMatch(
      /^Warning: STEWARD_RATE_LIMT is not a variable .* nearest known name is STEWARD_RATE_LIMIT\.\nPORT was "eighty"; .*\n$/,
    );
  });

  it('an unknown argument, with exit code 2', async () => {
    const refused = npmStart(data, {}, '--port=80');
    expect(await refused.ended()).toBe(2);
    expect(refused.output()).toMatch(/^npm start takes no arguments.*\n$/);
  });

  it.each(inFull ? ['/proc/steward', '/dev/null/steward', '/etc/passwd'] : ['/proc/steward'])(
    'an unusable data folder (%s), with exit code 1',
    async (path) => {
      const refused = npmStart(path);
      expect(await refused.ended()).toBe(1);
      expect(refused.output()).toMatch(new RegExp(`^${path} cannot be used: .*STEWARD_DATA_DIR\\.\n$`));
    },
  );

  it('an unavailable external database, with the remedy and exit code 1', async () => {
    const refused = npmStart(join(data, 'elsewhere'), {
      DATABASE_URL: 'postgres://steward:hidden@127.0.0.1:1/steward',
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      STEWARD_OPERATOR_TOKEN: 'token',
      STEWARD_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
    });
    expect(await refused.ended()).toBe(1);
    expect(refused.output()).toMatch(
      /could not be prepared: .+\. Check DATABASE_URL and that PostgreSQL runs there\.\n$/,
    );
    expect(refused.output()).not.toContain('hidden');
  });
});
