import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { alertingRules, dashboards, ruleTests } from './monitoring-files.ts';

const rules = await alertingRules();
const names = rules.map(({ alert }) => alert);
const page = await readFile('docs/alerts.md', 'utf8');
/** Text of the page by the name of the alert. */
const sections = new Map(
  page
    .split(/^#+ /m)
    .filter((section) => section.startsWith('Steward'))
    .map((section) => [section.split('\n', 1)[0] ?? '', section]),
);

describe('an alerting rule', () => {
  it('has a unique name, a severity, a summary and the section of docs/alerts.md', () => {
    expect(new Set(names).size).toBe(names.length);
    for (const { alert, labels, annotations } of rules) {
      expect(['page', 'ticket']).toContain(labels.severity);
      expect(annotations.summary).toMatch(/\.$/);
      expect(annotations.runbook).toBe(`docs/alerts.md#${alert.toLowerCase()}`);
    }
  });

  it('is explained in docs/alerts.md by meaning, diagnosis and action', () => {
    expect([...sections.keys()].sort()).toEqual([...names].sort());
    for (const section of sections.values()) {
      for (const part of ['Meaning', 'Diagnosis', 'Action']) expect(section).toContain(`- **${part}**: `);
    }
  });

  it('has tests in which it fires on its series, and not on healthy ones or a short spike', async () => {
    const tests = await ruleTests();
    const [healthy, spike, ...firing] = tests;
    // In the order of the rules; a rule may have several.
    expect([...new Set(firing.map(({ name }) => name.split(' fires')[0]))]).toEqual(names);
    const used = metricsIn(rules.map(({ expr }) => expr).join('\n'));
    for (const test of [healthy, spike]) {
      expect(metricsIn(test?.input_series.map(({ series }) => series).join('\n') ?? '')).toEqual(used);
    }
  });
});

describe('a dashboard', () => {
  it('has a unique id and panels with queries of the selected data source', async () => {
    const all = await dashboards();
    expect(all).toHaveLength(3);
    expect(new Set(all.map(({ uid }) => uid)).size).toBe(all.length);
    for (const { panels } of all) {
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
      for (const { title, datasource, targets } of panels) {
        expect([title, targets.length > 0]).toEqual([title, true]);
        expect(datasource.uid).toBe('${datasource}');
      }
    }
  });

  it('names only alerts that exist', async () => {
    const named = JSON.stringify(await dashboards()).match(/\bSteward[A-Z]\w+/g) ?? [];
    expect(names).toEqual(expect.arrayContaining(named));
  });
});

/** Returns Steward's metrics in a text, including the series of histograms. */
function metricsIn(text: string): ReadonlySet<string> {
  return new Set(text.match(/\bsteward_\w+/g));
}
