import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';

export const prometheusFolder = 'deploy/prometheus';
const grafanaFolder = 'deploy/grafana';

export interface AlertingRule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

export interface RuleTest {
  readonly name: string;
  readonly input_series: readonly { readonly series: string }[];
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly datasource: { readonly uid: string };
  readonly targets: readonly { readonly expr: string }[];
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

const read = async (folder: string, file: string): Promise<string> => readFile(join(folder, file), 'utf8');

export async function alertingRules(): Promise<readonly AlertingRule[]> {
  const file = parse(await read(prometheusFolder, 'alerts.yml')) as {
    groups: { rules: AlertingRule[] }[];
  };
  return file.groups.flatMap(({ rules }) => rules);
}

export async function ruleTests(): Promise<readonly RuleTest[]> {
  return (parse(await read(prometheusFolder, 'alerts.test.yml')) as { tests: RuleTest[] }).tests;
}

export async function dashboards(): Promise<readonly Dashboard[]> {
  const files = await readdir(grafanaFolder);
  return Promise.all(files.map(async (file) => JSON.parse(await read(grafanaFolder, file)) as Dashboard));
}

/** The PromQL of every panel. */
export const expressionsOf = (dashboard: Dashboard): string[] =>
  dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
