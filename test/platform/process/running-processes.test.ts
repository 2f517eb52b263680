import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { choosePort } from '../../../local/ports.ts';
import { ownVersion } from '../../../platform/process/own-version.ts';
import { alertingRules, dashboards, expressionsOf, ruleTests } from '../../deploy/monitoring-files.ts';
import { aDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { anOperator } from '../../support/factories.ts';
import { markdownPages } from '../../support/markdown-page.ts';
import { scrape } from '../../support/metrics.ts';
import { startProcess, type TestProcess } from '../../support/processes.ts';
import { aNamespace } from '../../support/temporal.ts';

/* What only running processes show. They take seconds of CPU time to start, so these tests share one API and one worker. */

const programs = ['api', 'worker'] as const;
type Program = (typeof programs)[number];

const database = await aDatabase();
const journal = await mkdtemp(join(tmpdir(), 'steward-journal-'));
const ports = { api: await choosePort(undefined), worker: await choosePort(undefined) };
const processes = {} as Record<Program, TestProcess>;

/** The types of the metrics that the processes export, by name. */
let exported: ReadonlyMap<string, string>;

beforeAll(async () => {
  const temporal = await aNamespace();
  await Promise.all(
    programs.map(async (program) => {
      processes[program] = await startProcess(program, database.url, {
        ...temporal,
        METRICS_PORT: String(ports[program]),
        STEWARD_DELETION_JOURNAL: journal,
        STEWARD_RATE_LIMT: 'value-of-it',
        STEWARD_LOG_LEVEL: 'debug',
      });
    }),
  );
  exported = await eventually(async () => {
    const types = new Map<string, string>();
    for (const port of Object.values(ports)) {
      const { text } = await scrape(port);
      for (const [, name = '', type = ''] of text.matchAll(/^# TYPE (steward_\w+) (\w+)$/gm))
        types.set(name, type);
    }
    // The metric that a process registers last.
    return types.has('steward_sweep_last_success_timestamp_seconds') && types;
  });
});

afterAll(async () => {
  await Promise.all(Object.values(processes).map((process) => process.stop()));
  await database.drop();
  await rm(journal, { recursive: true });
});

const eventsOf = (program: Program): readonly Readonly<Record<string, unknown>>[] =>
  processes[program].log.flatMap((line) =>
    line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : [],
  );

describe('METRICS_PORT', () => {
  it.each(programs)('serves the metrics of the %s', async (program) => {
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
    expect(new Set(listed)).toEqual(new Set(exported.keys()));
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
});

describe('names of metrics', () => {
  const seriesOf = (name: string): string[] =>
    exported.get(name) === 'histogram'
      ? ['_bucket', '_sum', '_count'].map((suffix) => name + suffix)
      : [name];

  /** Returns the names of Steward's metrics in a text. A name that ends with `_` is a prefix. */
  const metricsIn = (text: string): string[] =>
    (text.match(/\bsteward_\w+/g) ?? []).filter((name) => !name.endsWith('_'));

  it('in alerting rules, their tests and dashboards are those of exported series', async () => {
    const rules = (await alertingRules()).map(({ expr }) => expr);
    const inputs = (await ruleTests()).flatMap(({ input_series }) =>
      input_series.map(({ series }) => series),
    );
    const panels = (await dashboards()).flatMap(expressionsOf);
    const named = metricsIn([...rules, ...inputs, ...panels].join('\n'));
    const series = new Set([...exported.keys()].flatMap(seriesOf));
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter((name) => !series.has(name))).toEqual([]);
  });

  it('in dashboards include every exported metric', async () => {
    const shown = new Set(metricsIn((await dashboards()).flatMap(expressionsOf).join('\n')));
    expect([...exported.keys()].filter((name) => !seriesOf(name).some((one) => shown.has(one)))).toEqual([]);
  });

  it('in docs/alerts.md and docs/metrics.md are those of exported metrics', async () => {
    const pages = (await markdownPages()).filter(({ path }) => /^docs\/(alerts|metrics)\.md$/.test(path));
    const named = pages.flatMap(({ text }) => metricsIn(text));
    const series = new Set([...exported.keys()].flatMap(seriesOf));
    expect(pages).toHaveLength(2);
    expect(named.filter((name) => !series.has(name) && !exported.has(name))).toEqual([]);
  });
});

describe('an unknown STEWARD_… variable', () => {
  /** What each program logs when it is ready. */
  const readyEvents = { api: 'listening', worker: 'working' };

  it.each(programs)('is logged as a warning by the %s, which still starts', (program) => {
    const events = eventsOf(program);
    const untilReady = events.slice(
      0,
      events.findIndex(({ msg }) => msg === readyEvents[program]),
    );
    // A worker on a slow machine may also have to wait for PostgreSQL.
    const warnings = untilReady.filter(({ level, msg }) => level === 'warn' && msg !== 'worker waits');
    expect(warnings).toMatchObject([
      { name: 'STEWARD_LOG_LEVEL', nearest: 'LOG_LEVEL', msg: 'unknown environment variable ignored' },
      { name: 'STEWARD_RATE_LIMT', nearest: 'STEWARD_RATE_LIMIT' },
    ]);
    expect(processes[program].log.join('\n')).not.toContain('value-of-it');
  });
});

describe('a log level that an operator sets', () => {
  it.each(programs)('changes in the running %s', async (program) => {
    const operator = anOperator(processes.api);
    await operator.ok('/v2/operator/loglevel/update', { level: 'trace' });
    await eventually(() => eventsOf(program).some(({ msg }) => msg === 'log level changed'));
  });
});
