import { statuses } from '../api/http/response/statuses.ts';
import { endpoints } from '../api/endpoints.ts';
import { operationsList } from '../api/openapi/operations-list.ts';
import { listItem } from '../platform/markdown/list-item.ts';
import { configurationList } from '../platform/config/describe-configuration.ts';

/** The generated parts of `docs/`, by page and by marker. */
const generated: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  'api.md': { errors: errorsList, operations: () => operationsList(endpoints) },
  'configuration.md': { configuration: configurationList },
};

/** The pages of `docs/` with generated parts. */
export const pages: readonly string[] = Object.keys(generated);

function errorsList(): string {
  const items = Object.entries(statuses).map(([status, { http, meaning, remedy }]) =>
    listItem(`\`${status}\` (${String(http)}): ${meaning} ${remedy}`),
  );
  return items.join('\n');
}

/** Regenerates the text between each `<!-- name -->` and `<!-- /name -->` of a page. Throws when a marker is missing. */
export function withTables(page: string, written: string): string {
  return Object.entries(generated[page] ?? {}).reduce((text, [name, table]) => {
    const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const from = text.indexOf(open);
    const to = text.indexOf(close);
    if (from < 0 || to < from) throw new Error(`docs/${page} has no ${open} … ${close}.`);
    return `${text.slice(0, from)}${open}\n\n${table()}\n\n${text.slice(to)}`;
  }, written);
}
