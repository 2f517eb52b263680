import { cpus } from 'node:os';
import type { Ledger } from './ledger.ts';
import type { Outage } from './outage.ts';
import { measuresIn, median, valuesOf, type Sample } from './samples.ts';

export interface SoakRun {
  readonly seed: number;
  readonly began: Date;
  readonly durationMs: number;
  /** What ran, and under which load. */
  readonly notes: readonly string[];
  readonly outages: readonly Outage[];
  readonly samples: readonly Sample[];
  /** Measures that grew. */
  readonly grown: ReadonlySet<string>;
  readonly ledger: Ledger;
  /** Numbers of arrived events and of repeated arrivals. */
  readonly events: { readonly received: number; readonly again: number };
  /** Lines logged at level error, by message. */
  readonly errors: ReadonlyMap<string, number>;
}

/** Max rows of the table of samples. */
const shownSamples = 24;

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
      '## Kills and faults',
      outagesOf(run),
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

function heading({ seed, durationMs, notes, events }: SoakRun): string {
  const minutes = (durationMs / 60_000).toFixed(1);
  const machine = `${String(cpus().length)} cores, Node ${process.versions.node}`;
  return [
    `- Load for ${minutes} minutes on ${machine}.`,
    ...notes.map((note) => `- ${note}`),
    `- Seed ${String(seed)}: \`--seed ${String(seed)}\` makes the same choices again; when each takes effect differs.`,
    `- Events received: ${whole(events.received)}; deliveries that repeated one: ${whole(events.again)}.`,
  ].join('\n');
}

function loadOf({ scenarios }: Ledger): string {
  const rows = [...scenarios.values()].map(({ name, ended, givenUp, durationsMs }) => {
    const sorted = durationsMs.toSorted((a, b) => a - b);
    const at = (share: number): string => whole(sorted[Math.floor(sorted.length * share)] ?? 0);
    return [name, whole(ended), whole(givenUp), at(0.5), at(0.99)];
  });
  return table(['what callers did', 'ended', 'given up', 'p50 ms', 'p99 ms'], rows);
}

function outagesOf({ outages }: SoakRun): string {
  if (outages.length === 0) return 'None.';
  const rows = [...Map.groupBy(outages, ({ what }) => what)].map(([what, those]) => {
    const downs = those.map(({ downMs }) => downMs);
    return [what, whole(downs.length), whole(median(downs) ?? 0), whole(Math.max(...downs))];
  });
  return table(['what', 'times', 'median ms until all worked again', 'max ms'], rows);
}

function measuresOf({ samples, grown }: SoakRun): string {
  const rows = measuresIn(samples).map((measure) => {
    const values = valuesOf(samples, measure);
    return [
      measure,
      whole(values[0] ?? 0),
      whole(median(values) ?? 0),
      whole(Math.max(0, ...values)),
      whole(values.at(-1) ?? 0),
      grown.has(measure) ? 'grew' : '',
    ];
  });
  return table(['measure', 'first', 'median', 'max', 'last', ''], rows);
}

function seriesOf(samples: readonly Sample[]): string {
  const names = measuresIn(samples);
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
