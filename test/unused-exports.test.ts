import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { product, root, sourcePaths } from './support/source-files.ts';

/** Folders whose exports are checked; exported types are free, because they document what a file promises. */
const exporters = [...product, 'console', 'testing'];

/** Folders that only import from the product. */
const users = ['test', 'bench', 'fuzz', 'lint', 'packages/client'];

/** Files whose exports others than this repository's files use. */
const entries = new Set([
  // Temporal finds workflows by their exported names.
  'workflows/index.ts',
  'packages/client/source/steward.ts',
  'testing/test-environment.ts',
]);

/** An exported value, or an imported name. */
interface Named {
  readonly name: string;
  /** Exported: a type has the same name. Imported: only as a type, such as that of a class, or after `typeof`. */
  readonly isType: boolean;
}

/** Returns the values that a source exports, with those that it destructures. */
function exportedValues(text: string): Named[] {
  const declared =
    /^export (?:async )?(?:abstract )?(?:function\*?|class|enum|const|let) (?:(\w+)|[{[]([^=]*?)[}\]](?::[^=]*)? =)/gm;
  const listed = /^export \{([^}]*)\}/gm;
  const names = [...text.matchAll(declared), ...text.matchAll(listed)].flatMap(([, one = '', several = '']) =>
    [one, several].flatMap(parts),
  );
  return names
    .map((part) => /\w+$/.exec(part)?.[0] ?? '')
    .map((name) => ({ name, isType: text.includes(`\nexport type ${name} =`) }));
}

/** Returns the parts of a list of names. In `a as b` and `a: b`, the exporting file names the last one. */
const parts = (names: string): string[] =>
  names
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** `import * as`, `export *`, and imports at run time use all exports of a file. */
const everything: Named = { name: '*', isType: false };

/** Returns the paths that a source imports, with the names. */
function imported(text: string): { from: string; names: readonly Named[] }[] {
  const named = /^(?:import|export) (type )?(?:\w+, )?\{([^}]*)\}\s*from '(\.[^']+)'/gm;
  const whole =
    /^(?:import|export) \* (?:as \w+ )?from '(\.[^']+)'|\bimport\(\s*'(\.[^']+)'|new URL\('(\.[^']+\.m?[jt]sx?)'/gm;
  return [
    ...[...text.matchAll(named)].map(([, type, names = '', from = '']) => ({
      from,
      names: parts(names).map((part) => ({
        name: /^(?:type )?(\w+)/.exec(part)?.[1] ?? '',
        isType: type !== undefined || part.startsWith('type '),
      })),
    })),
    ...[...text.matchAll(whole)].map(([, star, dynamic, url]) => ({
      from: star ?? dynamic ?? url ?? '',
      names: [everything],
    })),
  ];
}

interface Source {
  readonly path: string;
  readonly text: string;
}

/** Returns `path name` of each exported value that no other file imports. */
function unusedExports(exporting: readonly Source[], importing: readonly Source[]): string[] {
  const used = new Set<string>();
  const usedAsTypes = new Set<string>();
  for (const { path, text } of importing)
    for (const { from, names } of imported(text))
      for (const { name, isType } of names)
        (isType ? usedAsTypes : used).add(`${relative(root, resolve(root, dirname(path), from))} ${name}`);
  return exporting
    .filter(({ path }) => !entries.has(path) && !used.has(`${path} ${everything.name}`))
    .flatMap(({ path, text }) =>
      exportedValues(text).map(({ name, isType }) => ({ value: `${path} ${name}`, isType })),
    )
    .filter(({ value, isType }) => !used.has(value) && (isType || !usedAsTypes.has(value)))
    .map(({ value }) => value);
}

async function sourcesIn(folders: readonly string[]): Promise<Source[]> {
  const paths = await sourcePaths(folders, /^(?!.*(?:node_modules|dist)\/).*\.(?:m?[jt]s|tsx)$/);
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })));
}

describe('an exported value of the product', () => {
  it('is imported by another file', async () => {
    const exporting = await sourcesIn(exporters);
    const importing = [...exporting, ...(await sourcesIn(users))];
    expect(exporting.flatMap(({ text }) => exportedValues(text)).length).toBeGreaterThan(1_000);
    expect(unusedExports(exporting, importing)).toEqual([]);
  });
});

describe('the check of exported values', () => {
  const exporting = (text: string): Source => ({ path: 'domain/a.ts', text });
  const importing = (text: string): Source => ({ path: 'domain/b/c.ts', text });

  it.each([
    'export const one = 1;',
    'export const { one } = numbers();',
    'export async function one() {}',
    'export class one {}',
    'const other = 1;\nexport { other as one };',
  ])('finds %j, unless it is imported', (text) => {
    const found = (by: string) => unusedExports([exporting(text)], [importing(by)]);
    for (const by of [
      `import { two, one as first } from '../a.ts';`,
      `import {\n  one,\n  type Two,\n} from '../a.ts';`,
      `export { one } from '../a.ts';`,
      `import * as a from '../a.ts';`,
      `const { one } = await import('../a.ts');`,
      `import type { one } from '../a.ts';`,
      `import { two, type one } from '../a.ts';`,
    ])
      expect(found(by)).toEqual([]);
    for (const by of [`import { two } from '../a.ts';`, `import { one } from './a.ts';`])
      expect(found(by)).toEqual(['domain/a.ts one']);
  });

  it('finds a value that has the name of a type, unless the value is imported', () => {
    const text = 'export const One = row();\nexport type One = Row<typeof One>;';
    const found = (by: string) => unusedExports([exporting(text)], [importing(by)]);
    expect(found(`import type { One } from '../a.ts';`)).toEqual(['domain/a.ts One']);
    expect(found(`import { One } from '../a.ts';`)).toEqual([]);
  });

  it('leaves types and values that are not exported', () => {
    const text = 'const one = 1;\nexport type Two = typeof one;\nexport interface Three {}';
    expect(unusedExports([exporting(text)], [])).toEqual([]);
  });
});
