import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { pages, withTables } from './generated-tables.ts';

/** `node cli/write-tables.ts`: regenerates the lists and tables of `docs/`. */
for (const page of pages) {
  const file = new URL(`../docs/${page}`, import.meta.url);
  const written = await readFile(file, 'utf8');
  const options = await resolveConfig(file);
  await writeFile(file, await format(withTables(page, written), { ...options, parser: 'markdown' }));
}
