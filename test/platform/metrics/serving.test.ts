import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { choosePort } from '../../../local/ports.ts';
import { ownVersion } from '../../../platform/process/own-version.ts';
import { aDatabase } from '../../support/database.ts';
import { serverEnvironment } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import { scrape } from '../../support/metrics.ts';
import { startProcess, type TestProcess } from '../../support/processes.ts';
import { aNamespace } from '../../support/temporal.ts';

const database = await aDatabase();
const journal = await mkdtemp(join(tmpdir(), 'steward-journal-'));
const ports = { api: await choosePort(undefined), worker: await choosePort(undefined) };
const freePort = await choosePort(undefined);
const started: TestProcess[] = [];

beforeAll(async () => {
  const temporal = await aNamespace();
  started.push(
    ...(await Promise.all(
      (['api', 'worker'] as const).map((program) =>
        startProcess(program, database.url, {
          ...temporal,
          METRICS_PORT: String(ports[program]),
          STEWARD_DELETION_JOURNAL: journal,
        }),
      ),
    )),
  );
});

afterAll(async () => {
  await Promise.all(started.map((process) => process.stop()));
  await database.drop();
  await rm(journal, { recursive: true });
});

describe('METRICS_PORT', () => {
  it.each(['api', 'worker'] as const)('serves the metrics of the %s', async (program) => {
    const { value } = await scrape(ports[program]);
    expect(value(`steward_build_info{version="${ownVersion}",kind="${program}"}`)).toBe(1);
    expect(value('steward_process_start_time_seconds')).toBeGreaterThan(1_600_000_000);
    expect(value('steward_process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(value('steward_process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
    await eventually(
      async () => (await scrape(ports[program])).value('steward_event_loop_delay_seconds_count') > 0,
    );
  });

  it('serves the metrics of the Temporal SDK after the worker’s own', async () => {
    // The worker drops those of the SDK when they take longer than 1 s.
    await eventually(async () => {
      const { text, value } = await scrape(ports.worker);
      expect(text.indexOf('\ntemporal_')).toBeGreaterThan(text.lastIndexOf('\nsteward_'));
      expect(value('steward_temporal_metrics_dropped')).toBe(0);
    });
  });

  it('serves the metrics that docs/metrics.md lists, and no others', async () => {
    const page = await readFile(new URL('../../../docs/metrics.md', import.meta.url), 'utf8');
    const listed = [...page.matchAll(/`(steward_\w+)`/g)].map(([, name]) => name);
    const served = await Promise.all(
      Object.values(ports).map(async (port) => (await scrape(port)).text.matchAll(/^# TYPE (steward_\S+)/gm)),
    );
    const names = served.flatMap((matches) => [...matches].map(([, name]) => name));
    expect(new Set(listed)).toEqual(new Set(names));
  });

  it('has at most 6,000 series with those of the SDK', async () => {
    expect((await scrape(ports.worker)).series.size).toBeLessThanOrEqual(6_000);
  });

  it('exports the availability of dependencies', async () => {
    await eventually(async () => {
      const { value } = await scrape(ports.worker);
      return ['postgresql', 'temporal'].every((kind) => value(`steward_dependency_up{kind="${kind}"}`) === 1);
    });
  });

  it('contains each metric once, also when the SDK adds its own', async () => {
    const { text } = await scrape(ports.worker);
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  it.each([
    ['GET', '/', 404],
    ['GET', '/metrics/', 404],
    ['POST', '/metrics', 405],
    ['HEAD', '/metrics', 200],
    ['GET', '/metrics?name[]=x', 200],
  ])('%s %s returns %d', async (method, path, status) => {
    const url = `http://127.0.0.1:${String(ports.api)}${path}`;
    const body = method === 'POST' ? { body: 'x'.repeat(100_000) } : {};
    expect((await fetch(url, { method, ...body })).status).toBe(status);
  });

  it.each(['api', 'worker'] as const)(
    'is named with the reason when the %s cannot listen on it',
    async (program) => {
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const { port } = other.address() as AddressInfo;
      try {
        const { code, err } = await run(`${program}/main.ts`, { METRICS_PORT: String(port) });
        expect(code).toBe(1);
        expect(err).toMatch(
          new RegExp(
            `^Metrics cannot be served on port ${String(port)} \\(.*\\)\\. Choose another port with METRICS_PORT\\.\\n$`,
          ),
        );
      } finally {
        other.close();
      }
    },
  );

  it.each([
    ['api', { METRICS_PORT: '0' }],
    ['worker', { METRICS_PORT: String(freePort) }],
  ] as const)(
    'ends the %s with the remedy when HOST is no address of this machine',
    async (program, environment) => {
      // An address for documentation, RFC 5737.
      const { code, err } = await run(`${program}/main.ts`, { ...environment, HOST: '192.0.2.1' });
      expect([code, err]).toEqual([
        1,
        'Cannot listen on 192.0.2.1 (EADDRNOTAVAIL): set HOST to an address of this machine, or to 0.0.0.0.\n',
      ]);
    },
  );
});

/** Runs a program that ends by itself. */
async function run(
  script: string,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly code: unknown; readonly err: string }> {
  const { NODE_OPTIONS: _jests, ...inherited } = process.env;
  const env = { ...inherited, ...serverEnvironment(database.url), ...environment };
  const cwd = fileURLToPath(new URL('../../..', import.meta.url));
  return await new Promise((resolve) => {
    execFile(process.execPath, [script], { cwd, env }, (error, _out, err) => {
      resolve({ code: error?.code ?? 0, err });
    });
  });
}
