import { z } from 'zod';
import { check } from './envelope.ts';
import { streamedChunk } from './list-chunks.ts';
import type { JsonPieces } from './list-form.ts';
import type { Page, PageReader } from './page-reader.ts';
import { readChunk } from './read-within.ts';
import type { ResponseInPages } from './response-kind.ts';

const mediaTypes = { ndjson: 'application/x-ndjson', csv: 'text/csv' } as const;

/** The member of a request that chooses the format. */
export const exportFormat = z
  .enum(['ndjson', 'csv'])
  .default('ndjson')
  .meta({ description: 'One JSON object or one CSV record per line.' });

/** The reply of a handler with an `ExportResponse`. */
export interface ExportReply<Item> {
  readonly list: PageReader<Item>;
}

/** A whole list as a stream of lines, in the format that the request's `format` chooses. */
export type ExportResponse<Item extends z.ZodObject> = ResponseInPages<
  ExportReply<z.input<Item>>,
  { readonly text: string }
>;

/** Declares an export. CSV has a column for each member of the item; `times` are milliseconds, in CSV ISO 8601. */
export const exportResponse = <Item extends z.ZodObject>(
  item: Item,
  times: readonly (keyof z.output<Item> & string)[],
): ExportResponse<Item> => ({
  kind: 'export',
  httpStatus: 200,
  client: 'stream',
  mediaTypes: Object.values(mediaTypes),
  async read({ list }, { data, path, charge }) {
    const { format } = data as { readonly format: keyof typeof mediaTypes };
    const columns = Object.keys(item.shape);
    const cellOf = (row: Row, column: string): string =>
      times.includes(column) ? new Date(Number(row[column])).toISOString() : textOf(row[column]);
    const line = (row: Row): string =>
      format === 'ndjson'
        ? `${JSON.stringify(row)}\n`
        : csvLine(columns.map((column) => cellOf(row, column)));
    const lines = ({ items }: Page<unknown>): string => {
      for (const one of items) check(path, item, one);
      return items.map((one) => line(one as Row)).join('');
    };
    const read = async (after: Page<unknown>['next']): Promise<Page<unknown>> =>
      readChunk<Page<unknown>>(charge, streamedChunk, (limit) => list(after, limit));
    const chunk = await read(undefined);
    async function* rest(): AsyncGenerator<JsonPieces> {
      let { next } = chunk;
      while (next !== undefined) {
        const following = await read(next);
        ({ next } = following);
        yield [lines(following)];
      }
    }
    const head = format === 'csv' ? csvLine(columns) : '';
    return {
      first: [head + lines(chunk)],
      rest: chunk.next && rest(),
      mediaType: `${mediaTypes[format]}; charset=utf-8`,
    };
  },
  bodySchema: () => ({
    type: 'string',
    description: 'Lines of JSON objects, or CSV with a line of column names.',
  }),
});

type Row = Readonly<Record<string, unknown>>;

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`;

/** Spreadsheets run cells with these first characters as formulas; an apostrophe makes them text. */
const formulaStarts = new Set(['=', '+', '-', '@', '\t', '\r']);

/** A field of RFC 4180. */
export function csvCell(text: string): string {
  const formula = formulaStarts.has(text.charAt(0));
  const quoted = formula || ['"', ',', '\r', '\n'].some((special) => text.includes(special));
  return quoted ? `"${formula ? "'" : ''}${text.replaceAll('"', '""')}"` : text;
}
