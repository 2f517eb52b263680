import { reached, type CpuPerRequest, type Figure, type Target, type Unit } from './figure.ts';

const columns = [
  'figure',
  'Steward',
  'against',
  '',
  'ratio',
  'target',
  'reached',
  'CPU µs per request',
] as const;

/** Returns a Markdown table with padded columns, readable without rendering. */
export function markdownTable(figures: readonly Figure[]): string {
  const cells = [columns, columns.map(() => '-'), ...figures.map(rowOf)];
  const widths = columns.map((_, column) => Math.max(3, ...cells.map((row) => (row[column] ?? '').length)));
  return cells
    .map((row, index) =>
      row.map((cell, column) => cell.padEnd(widths[column] ?? 0, index === 1 ? '-' : ' ')).join(' | '),
    )
    .map((row) => `| ${row} |`)
    .join('\n');
}

function rowOf(figure: Figure): readonly string[] {
  const { name, unit, steward, against, ratio, target, cpu } = figure;
  return [
    name,
    amount(steward, unit),
    against === undefined ? '' : against.name,
    against === undefined ? '' : amount(against.measured, unit),
    ratio === undefined ? '' : ratio.toFixed(2),
    target === undefined ? '' : aim(target, unit),
    { true: 'yes', false: 'NO', undefined: '' }[String(reached(figure)) as 'true' | 'false' | 'undefined'],
    cpu === undefined ? '' : `${spent(cpu.steward)} against ${spent(cpu.against)}`,
  ];
}

const aim = ({ of, is, value }: Target, unit: Unit): string =>
  `${is === 'at least' ? '≥' : '≤'} ${of === 'ratio' ? String(value) : amount(value, unit)}`;

const spent = ({ server, postgres }: CpuPerRequest): string => `${whole(server)} + ${whole(postgres)}`;

const whole = (number: number): string => Math.round(number).toLocaleString('en-US');

/** Returns a number with its unit, rounded for a table. */
export function amount(number: number, unit: Unit): string {
  const isWhole = ['events', 'mails', 'calls'].includes(unit) || number >= 100;
  const digits = isWhole ? 0 : number >= 10 ? 1 : 2;
  return `${number >= 1_000 ? whole(number) : number.toFixed(digits)} ${unit}`;
}
