import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { parse, stringify } from 'yaml';
import { choosePort } from '../../local/ports.ts';
import { sweepSchedule } from '../../workflows/starts.ts';
import { aDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startProcess, type TestProcess } from '../support/processes.ts';
import { obtainPrometheus, startPrometheus, type Prometheus } from '../support/prometheus.ts';
import { aNamespace } from '../support/temporal.ts';
import { aClosableProxy } from '../workflows/closable-proxy.ts';
import { dashboards, expressionsOf, prometheusFolder } from './monitoring-files.ts';

const tool = await obtainPrometheus('promtool');
const server = await obtainPrometheus('prometheus');
if (typeof tool === 'string') process.stderr.write(`${tool}\n`);
const whereObtained = typeof tool === 'string' || typeof server === 'string' ? describe.skip : describe;

/** Runs promtool in the folder of the rules. Rejects with its output when it fails. */
async function promtool(...options: readonly string[]): Promise<string> {
  const [command, ...first] = tool as Exclude<typeof tool, string>;
  const { stdout } = await promisify(execFile)(command, [...first, ...options], { cwd: prometheusFolder });
  return stdout;
}

whereObtained('promtool', () => {
  it('accepts the configuration with its rules', async () => {
    expect(await promtool('check', 'config', 'prometheus.yml')).toContain('SUCCESS');
    expect(await promtool('check', 'rules', '--lint-fatal', 'alerts.yml')).toContain('SUCCESS');
  });

  it('fires each rule on its series, and none on healthy series or a short spike', async () => {
    expect(await promtool('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS');
  });

  it('accepts the expressions of the dashboards', async () => {
    const expressions = (await dashboards()).flatMap(expressionsOf);
    const rules = expressions.map((expr, at) => ({
      record: `panel:${String(at)}`.replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? ''),
      expr: expr.replaceAll('$__rate_interval', '1m'),
    }));
    const folder = await mkdtemp(join(tmpdir(), 'steward-dashboards-'));
    try {
      await writeFile(join(folder, 'rules.yml'), stringify({ groups: [{ name: 'panels', rules }] }));
      const checked = await promtool('check', 'rules', join(folder, 'rules.yml'));
      expect(checked).toContain(`SUCCESS: ${String(rules.length)} rules found`);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

whereObtained('a running deployment', () => {
  let prometheus: Prometheus;
  let api: TestProcess;
  let worker: TestProcess;
  let client: Client;
  let proxy: Awaited<ReturnType<typeof aClosableProxy>>;
  const closings: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    const database = await aDatabase();
    const temporal = await aNamespace();
    proxy = await aClosableProxy(temporal.TEMPORAL_ADDRESS);
    proxy.open();
    const connection = await Connection.connect({ address: temporal.TEMPORAL_ADDRESS });
    client = new Client({ connection, namespace: temporal.TEMPORAL_NAMESPACE });
    const ports = { api: await choosePort(undefined), worker: await choosePort(undefined) };
    const start = async (program: 'api' | 'worker') =>
      startProcess(program, database.url, {
        ...temporal,
        TEMPORAL_ADDRESS: proxy.address,
        METRICS_PORT: String(ports[program]),
      });
    api = await start('api');
    worker = await start('worker');
    prometheus = await startPrometheus(server as Exclude<typeof server, string>, await configuration(ports));
    closings.push(
      async () => prometheus.stop(),
      async () => worker.kill(),
      async () => api.kill(),
      async () => connection.close(),
      proxy.end,
      database.drop,
    );
  });
  afterAll(async () => {
    for (const close of closings) await close();
  });

  const crosses = async (alert: string) =>
    eventually(async () => (await prometheus.pendingOrFiring()).includes(alert));
  /** Without the alert of blocked processes, which a busy machine triggers by itself. */
  const becomesHealthy = async () =>
    eventually(async () => {
      const active = await prometheus.pendingOrFiring();
      expect(active.filter((alert) => alert !== 'StewardEventLoopBlocked')).toEqual([]);
    });

  it('has no active alert', async () => {
    await becomesHealthy();
  });

  it('crosses the threshold while the sweep is stopped', async () => {
    const schedule = client.schedule.getHandle(sweepSchedule.scheduleId);
    await schedule.pause();
    await crosses('StewardSweepSilent');
    await schedule.unpause();
    await becomesHealthy();
  });

  it('crosses the threshold while Temporal is unreachable', async () => {
    proxy.close();
    await crosses('StewardTemporalUnreachable');
    proxy.open();
    await becomesHealthy();
  });

  it('crosses the thresholds while the worker is stopped', async () => {
    await worker.kill();
    const alerts = ['StewardProcessDown', 'StewardWorkerMissing', 'StewardSweepSilent'];
    await Promise.all(alerts.map(crosses));
  });

  it('crosses the threshold while the API is stopped', async () => {
    await api.kill();
    await crosses('StewardApiMissing');
  });
});

/** `deploy/prometheus/prometheus.yml` with processes of this machine as its targets. */
async function configuration(ports: Readonly<Record<'api' | 'worker', number>>): Promise<string> {
  const file = parse(await readFile(join(prometheusFolder, 'prometheus.yml'), 'utf8')) as object;
  return stringify({
    ...file,
    global: { scrape_interval: '5s', scrape_timeout: '5s', evaluation_interval: '2s' },
    rule_files: [resolve(prometheusFolder, 'alerts.yml')],
    scrape_configs: Object.entries(ports).map(([program, port]) => ({
      job_name: `steward-${program}`,
      static_configs: [{ targets: [`127.0.0.1:${String(port)}`] }],
    })),
  });
}
