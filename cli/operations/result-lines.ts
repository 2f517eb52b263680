import { visibleText } from '../visible-text.ts';
import { tableColumns } from './table-columns.ts';

type Row = Readonly<Record<string, unknown>>;

/** A result of the API. */
export interface Result {
  readonly message?: string;
  readonly data?: unknown;
  readonly nextPageToken?: string;
}

/** Returns a result as lines for people: a table of a list, or a line for each member. */
export function resultLines(path: string, { message = '', data, nextPageToken }: Result): readonly string[] {
  if (Array.isArray(data)) {
    const lines = tableLines(data as readonly Row[], tableColumns[path]);
    if (nextPageToken === undefined) return lines;
    return [
      ...(data.length === 0 ? ['Nothing on this page.'] : lines),
      '',
      `More: --page-token ${nextPageToken}`,
    ];
  }
  if (typeof data !== 'object' || data === null) return [message];
  return Object.entries(data).map(([name, value]) => `${name}: ${cellOf(name, value)}`);
}

/** Columns are separated by two spaces. Without a list of columns, every member is one. */
export function tableLines(rows: readonly Row[], listed: readonly string[] | undefined): readonly string[] {
  if (rows.length === 0) return ['Nothing found.'];
  const columns = listed ?? [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = [columns, ...rows.map((row) => columns.map((name) => cellOf(name, row[name])))];
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  return cells.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Writes times as ISO 8601. */
function cellOf(name: string, value: unknown): string {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return '-';
  if (typeof value === 'number' && (name === 'at' || name.endsWith('At')))
    return new Date(value).toISOString();
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return visibleText(text);
}
