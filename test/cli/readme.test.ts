import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { format, resolveConfig } from 'prettier';
import { readmeTables, withTables } from '../../cli/readme-tables.ts';

const file = new URL('../../README.md', import.meta.url);

describe('the README', () => {
  it('holds the tables of operations, configuration and errors as the code has them', async () => {
    const readme = await readFile(file, 'utf8');
    const options = await resolveConfig(file);
    // Else: node cli/readme.ts
    expect(await format(withTables(readme), { ...options, parser: 'markdown' })).toBe(readme);
  });
});

describe('the table of dependencies', () => {
  it('says of every package in package.json, and of no other, what it is for', async () => {
    const readme = await readFile(file, 'utf8');
    const table = readme.slice(readme.indexOf('## Dependencies'), readme.indexOf('## Licence'));
    const cells = [...table.matchAll(/^\| (.*?) \|/gm)].map(([, cell = '']) => cell);
    let scope = '';
    const named = cells.flatMap((cell) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => {
        scope = name.startsWith('@') ? (name.split('/')[0] ?? '') : scope;
        return name.startsWith('/') ? scope + name : name;
      }),
    );
    const { dependencies, devDependencies } = JSON.parse(
      await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
    ) as Record<string, Record<string, string>>;
    const grouped = ['@temporalio/', '@types/'];
    const present = Object.keys({ ...dependencies, ...devDependencies }).map((name) => {
      const group = grouped.find((prefix) => name.startsWith(prefix));
      return group === undefined ? name : `${group}*`;
    });
    expect(named.toSorted()).toEqual([...new Set(present)].toSorted());
  });
});

describe('making the tables', () => {
  const empty = Object.keys(readmeTables)
    .map((name) => `before\n<!-- ${name} --><!-- /${name} -->\nafter`)
    .join('\n');

  it('changes what is between the markers alone, and nothing the second time', () => {
    const made = withTables(empty);
    for (const table of Object.values(readmeTables)) expect(made).toContain(`\n\n${table()}\n\n`);
    expect(made.split('before\n')).toHaveLength(Object.keys(readmeTables).length + 1);
    expect(withTables(made)).toBe(made);
  });

  it('says which markers are missing', () => {
    expect(() => withTables(empty.replace('<!-- /errors -->', ''))).toThrow(
      'README.md has no <!-- errors --> … <!-- /errors -->.',
    );
  });
});
