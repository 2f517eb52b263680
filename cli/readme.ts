import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { withTables } from './readme-tables.ts';

/** `node cli/readme.ts`: makes the README's generated tables anew. */
const file = new URL('../README.md', import.meta.url);
const written = await readFile(file, 'utf8');
const options = await resolveConfig(file);
await writeFile(file, await format(withTables(written), { ...options, parser: 'markdown' }));
