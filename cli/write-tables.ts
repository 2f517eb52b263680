import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { clientSources } from './client-sources/sources.ts';
import { pages, withTables } from './generated-tables.ts';

/** `node cli/write-tables.ts`: regenerates the lists and tables of `docs/`, and the operations of the client. */
for (const page of pages) {
  const file = new URL(`../docs/${page}`, import.meta.url);
  const written = await readFile(file, 'utf8');
  const options = await resolveConfig(file);
  await writeFile(file, await format(withTables(page, written), { ...options, parser: 'markdown' }));
}
for (const [name, source] of clientSources()) {
  const file = new URL(`../packages/client/source/generated/${name}`, import.meta.url);
  const options = await resolveConfig(file);
  await writeFile(file, await format(source, { ...options, parser: 'typescript' }));
}
