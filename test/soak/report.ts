import { cpus } from 'node:os';
import type { Kill } from './kills.ts';
import type { Ledger } from './ledger.ts';
import { growthOf, measures, median, valuesOf, type Measure, type Sample } from './samples.ts';
import { victims } from './steward.ts';

export interface SoakRun {
  readonly seed: number;
  readonly began: Date;
  readonly durationMs: number;
  readonly kills: readonly Kill[];
  readonly killing: boolean;
  readonly samples: readonly Sample[];
  readonly ledger: Ledger;
  /** Numbers of arrived events and of repeated arrivals. */
  readonly events: { readonly received: number; readonly again: number };
  /** Lines that npm start logged at level error, by message. */
  readonly errors: ReadonlyMap<string, number>;
}

/** Max rows of the table of samples. */
const shownSamples = 24;
const names = Object.keys(measures) as Measure[];

/** Returns the report in Markdown. */
export function reportOf(run: SoakRun): string {
  const { ledger } = run;
  return (
    [
      `# Soak of ${run.began.toISOString()}`,
      ledger.violationCount === 0
        ? '**Nothing was violated.**'
        : `**${String(ledger.violationCount)} violations**, listed below.`,
      heading(run),
      '## Violations',
      ledger.violations.length === 0
        ? 'None.'
        : ledger.violations.map(({ at, text }) => `- ${new Date(at).toISOString()}: ${text}`).join('\n'),
      '## What was checked',
      table(
        ['what must hold', 'checks'],
        [...ledger.checks].map(([sentence, count]) => [sentence, whole(count)]),
      ),
      '## Load',
      loadOf(ledger),
      '## Kills',
      killsOf(run),
      '## Processes and database',
      measuresOf(run),
      seriesOf(run.samples),
      '## Errors logged',
      run.errors.size === 0
        ? 'None.'
        : table(
            ['message', 'lines'],
            [...run.errors].map(([message, count]) => [message, whole(count)]),
          ),
    ].join('\n\n') + '\n'
  );
}

function heading({ seed, durationMs, killing, events }: SoakRun): string {
  const minutes = (durationMs / 60_000).toFixed(1);
  const machine = `${String(cpus().length)} cores, Node ${process.versions.node}`;
  return [
    `- Load for ${minutes} minutes on ${machine}, kills ${killing ? 'on' : 'off'}.`,
    `- Seed ${String(seed)}: \`--seed ${String(seed)}\` makes the same choices again; when each takes effect differs.`,
    `- Events received: ${whole(events.received)}; deliveries that repeated one: ${whole(events.again)}.`,
  ].join('\n');
}

function loadOf({ stories }: Ledger): string {
  const rows = [...stories.values()].map(({ name, ended, givenUp, durationsMs }) => {
    const sorted = durationsMs.toSorted((a, b) => a - b);
    const at = (share: number): string => whole(sorted[Math.floor(sorted.length * share)] ?? 0);
    return [name, whole(ended), whole(givenUp), at(0.5), at(0.99)];
  });
  return table(['what callers did', 'ended', 'given up', 'p50 ms', 'p99 ms'], rows);
}

function killsOf({ kills }: SoakRun): string {
  const rows = victims.map((victim) => {
    const downs = kills.filter((kill) => kill.victim === victim).map(({ downMs }) => downMs);
    return [victim, whole(downs.length), whole(median(downs) ?? 0), whole(Math.max(0, ...downs))];
  });
  return table(['killed', 'times', 'median ms until its successor ran', 'max ms'], rows);
}

function measuresOf({ samples, durationMs }: SoakRun): string {
  const rows = names.map((measure) => {
    const values = valuesOf(samples, measure);
    return [
      measure,
      whole(values[0] ?? 0),
      whole(median(values) ?? 0),
      whole(Math.max(0, ...values)),
      whole(values.at(-1) ?? 0),
      growthOf(samples, measure, durationMs) === undefined ? '' : 'grew',
    ];
  });
  return table(['measure', 'first', 'median', 'max', 'last', ''], rows);
}

function seriesOf(samples: readonly Sample[]): string {
  const step = Math.max(1, Math.ceil(samples.length / shownSamples));
  const rows = samples
    .filter((_, index) => index % step === 0)
    .map(({ atMs, values }) => [
      (atMs / 60_000).toFixed(1),
      ...names.map((measure) => (values[measure] === undefined ? '' : whole(values[measure]))),
    ]);
  return table(['minute', ...names], rows);
}

const whole = (number: number): string => Math.round(number).toLocaleString('en-US');

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return [columns, columns.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
