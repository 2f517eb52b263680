import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root, sourcePaths } from './support/source-files.ts';

const declaration =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|function\*?|class|interface|type|enum) (\w+)/gm;

/** Sections of an export and stores of a deletion share the names of their data, and one registry imports each kind. */
const registered = /^domain\/deletion\/(?:export|stores)\//;

interface Source {
  readonly path: string;
  readonly text: string;
}

/** Returns each name that several files export, with their paths. A value and its type in one file count once. */
function equalNames(sources: readonly Source[]): string[] {
  const exporting = new Map<string, Set<string>>();
  for (const { path, text } of sources)
    for (const [, name = ''] of text.matchAll(declaration)) {
      const paths = exporting.get(name) ?? new Set();
      exporting.set(name, paths.add(path));
    }
  return [...exporting]
    .map(([name, paths]) => ({ name, paths: [...paths].toSorted() }))
    .filter(({ paths }) => paths.length > 1 && !paths.every((path) => registered.test(path)))
    .map(({ name, paths }) => [name, ...paths].join(' '));
}

describe('a name that the domain exports', () => {
  it('belongs to one file, so that an import by name finds the right one', async () => {
    const paths = await sourcePaths(['domain']);
    const sources = await Promise.all(
      paths.map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })),
    );
    expect(sources.flatMap(({ text }) => [...text.matchAll(declaration)]).length).toBeGreaterThan(1_000);
    expect(equalNames(sources)).toEqual([]);
  });
});

describe('the check of equal names', () => {
  it('finds values and types of two files, and leaves a row with its type', () => {
    const one = {
      path: 'domain/one.ts',
      text: 'export const Row = row();\nexport type Row = Of<typeof Row>;',
    };
    expect(equalNames([one, { path: 'domain/two.ts', text: 'export interface Other {}' }])).toEqual([]);
    const two = { path: 'domain/two.ts', text: 'export interface Row {}' };
    expect(equalNames([one, two])).toEqual(['Row domain/one.ts domain/two.ts']);
  });
});
