import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { choosePort } from '../../local/ports.ts';
import { startTestApi } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { markdownPages } from '../support/markdown-page.ts';
import { scrape } from '../support/metrics.ts';
import { startProcess } from '../support/processes.ts';
import { aNamespace } from '../support/temporal.ts';
import { alertingRules, dashboards, expressionsOf, ruleTests } from './monitoring-files.ts';

const ports = { api: await choosePort(undefined), worker: await choosePort(undefined) };
const journal = await mkdtemp(join(tmpdir(), 'steward-journal-'));
const environmentOf = (port: number) => ({ METRICS_PORT: String(port), STEWARD_DELETION_JOURNAL: journal });
const api = await startTestApi({ environment: environmentOf(ports.api) });
const worker = await startProcess('worker', api.database.url, {
  ...(await aNamespace()),
  ...environmentOf(ports.worker),
});
afterAll(async () => {
  await worker.kill();
  await api.close();
  await rm(journal, { recursive: true });
});

/** Names of the metrics that processes export with their types, and the names of their series. */
const exported = await eventually(async () => {
  const types = new Map<string, string>();
  for (const port of Object.values(ports)) {
    const { text } = await scrape(port);
    for (const [, name = '', type = ''] of text.matchAll(/^# TYPE (steward_\w+) (\w+)$/gm))
      types.set(name, type);
  }
  // The metric that a process registers last.
  return types.has('steward_sweep_last_success_timestamp_seconds') && types;
});
const seriesOf = (name: string): string[] =>
  exported.get(name) === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => name + suffix) : [name];
const series = new Set([...exported.keys()].flatMap(seriesOf));

/** Returns the names of Steward's metrics in a text. A name that ends with `_` is a prefix. */
const metricsIn = (text: string): string[] =>
  (text.match(/\bsteward_\w+/g) ?? []).filter((name) => !name.endsWith('_'));

describe('names of metrics', () => {
  it('in alerting rules, their tests and dashboards are those of exported series', async () => {
    const rules = (await alertingRules()).map(({ expr }) => expr);
    const inputs = (await ruleTests()).flatMap(({ input_series }) =>
      input_series.map(({ series }) => series),
    );
    const panels = (await dashboards()).flatMap(expressionsOf);
    const named = metricsIn([...rules, ...inputs, ...panels].join('\n'));
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
    expect(pages).toHaveLength(2);
    expect(named.filter((name) => !series.has(name) && !exported.has(name))).toEqual([]);
  });
});
