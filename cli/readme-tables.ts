import { statuses } from '../domain/errors.ts';
import { endpoints } from '../api/endpoints.ts';
import { operationsTable } from '../api/openapi/operations-table.ts';
import { configurationTable } from '../platform/config/describe-configuration.ts';

/** Tables of the README that are made from the code, by the name in their markers. */
export const readmeTables: Readonly<Record<string, () => string>> = {
  operations: () => operationsTable(endpoints),
  configuration: configurationTable,
  errors: errorsTable,
};

function errorsTable(): string {
  const rows = Object.entries(statuses).map(
    ([status, { http, says }]) => `| \`${status}\` | ${String(http)} | ${says} |`,
  );
  return ['| status | HTTP | when |', '|---|---|---|', ...rows].join('\n');
}

const open = (name: string): string => `<!-- ${name} -->`;
const close = (name: string): string => `<!-- /${name} -->`;

/** The text with every table between `<!-- name -->` and `<!-- /name -->` made anew. Throws when a pair of markers is missing. */
export function withTables(readme: string): string {
  return Object.entries(readmeTables).reduce((text, [name, table]) => {
    const from = text.indexOf(open(name));
    const to = text.indexOf(close(name));
    if (from < 0 || to < from) throw new Error(`README.md has no ${open(name)} … ${close(name)}.`);
    return `${text.slice(0, from)}${open(name)}\n\n${table()}\n\n${text.slice(to)}`;
  }, readme);
}
