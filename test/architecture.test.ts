import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { product, root, sourcePaths } from './support/source-files.ts';

/* Checks the rules of imports that the linter cannot check. The linter's own rules are in .oxlintrc.json. */

const checked = [...product, 'bench', 'console/source', 'fuzz', 'testing'];

interface SourceFile {
  /** Path from the root. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly { readonly from: string; readonly typesOnly: boolean }[];
}

const statement = /^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm;

async function filesIn(folders: readonly string[]): Promise<SourceFile[]> {
  const paths = await sourcePaths(folders, /\.tsx?$/);
  return Promise.all(
    paths.map(async (path) => {
      const text = await readFile(join(root, path), 'utf8');
      const imports = [...text.matchAll(statement)].map(([, type, from, dynamic]) => ({
        from: from ?? dynamic ?? '',
        typesOnly: type !== undefined,
      }));
      return { path, text, imports };
    }),
  );
}

const sources = await filesIn(checked);
const tests = await filesIn(['test']);

/** Returns the file, as a path from the root, or the package that an import names. */
const target = (file: SourceFile, from: string): string =>
  from.startsWith('.') ? relative(root, resolve(root, dirname(file.path), from)) : from;

const allowed: Readonly<Record<string, readonly string[]>> = {
  platform: ['platform'],
  local: ['local', 'platform'],
  domain: ['domain', 'platform'],
  workflows: ['workflows', 'platform/logging/request-id.ts'],
  activities: ['activities', 'domain', 'platform', 'workflows/contract.ts', 'workflows/starts.ts'],
  server: ['server', 'domain', 'platform', 'workflows/contract.ts', 'workflows/starts.ts'],
  api: ['api', 'domain', 'platform', 'server', 'workflows/contract.ts', 'workflows/starts.ts'],
  worker: [
    'worker',
    'activities',
    'domain',
    'platform',
    'server',
    'workflows/contract.ts',
    'workflows/starts.ts',
  ],
  'packages/client/source': ['packages/client/source'],
  'console/source': ['console/source'],
  testing: [
    'testing',
    'api',
    'packages/client/source',
    'cli',
    'local',
    'platform',
    'worker',
    'workflows/contract.ts',
    'workflows/starts.ts',
  ],
};

/** Folders whose types may be imported, because types do not exist at run time. */
const allowedTypes: Readonly<Record<string, readonly string[]>> = {
  workflows: ['activities', 'domain'],
  api: ['workflows'],
  activities: ['workflows'],
  worker: ['workflows'],
};

const within = (path: string, folders: readonly string[] = []): boolean =>
  folders.some((folder) => path === folder || path.startsWith(`${folder}/`));

describe('the allowed imports of a folder', () => {
  it.each(Object.keys(allowed))('%s', (folder) => {
    const files = sources.filter(({ path }) => path.startsWith(`${folder}/`));
    const wrong = files.flatMap((file) =>
      file.imports
        .filter(({ from }) => from.startsWith('.'))
        .filter(({ from, typesOnly }) => {
          const path = target(file, from);
          return !within(path, allowed[folder]) && !(typesOnly && within(path, allowedTypes[folder]));
        })
        .map(({ from }) => `${file.path} → ${from}`),
    );
    expect(files.length).toBeGreaterThan(0);
    expect(wrong).toEqual([]);
  });

  it('let the workflow contract import types only', () => {
    const contract = sources.find(({ path }) => path === 'workflows/contract.ts');
    expect(contract?.imports.filter(({ typesOnly }) => !typesOnly)).toEqual([]);
    expect(contract?.imports.length).toBeGreaterThan(0);
  });

  it('keep Koa and Temporal out of the domain, and zod to api/ and the rows of the domain', () => {
    const knows = (folders: string, packages: RegExp) =>
      sources
        .filter(({ path }) => path.split('/')[0]?.match(`^(?:${folders})$`))
        .filter(({ imports }) => imports.some(({ from }) => packages.test(from)))
        .map(({ path }) => path);
    expect(knows('domain', /^(?:koa|@koa|@temporalio)/)).toEqual([]);
    expect(knows('workflows|activities|server|worker|platform', /^(?:koa|@koa|zod)/)).toEqual([]);
  });

  it('let only the streaming writer use Koa’s Node response', () => {
    const touching = sources.filter(
      ({ path, text }) => path.startsWith('api/') && /\.(?:res|respond)\b/.test(text),
    );
    expect(touching.map(({ path }) => path)).toEqual(['api/http/response/streaming-writer.ts']);
  });

  it('keep tests and files outside the repository out of product code', () => {
    // Excluded: benches are no product code, and use programs of Debian that the tests obtain.
    const mayUseTests = (path: string) => within(path, ['test']) || within(path, ['bench']);
    const wrong = [...sources, ...tests].flatMap((file) =>
      file.imports
        .map(({ from }) => target(file, from))
        .filter((path) => path.startsWith('..') || (within(path, ['test']) && !mayUseTests(file.path)))
        .map((path) => `${file.path} → ${path}`),
    );
    expect(wrong).toEqual([]);
  });
});

/** Imports between files of the product, as `from → to`. */
const fileImports = sources.flatMap((file) =>
  file.imports
    .filter(({ from }) => from.startsWith('.'))
    .map(({ from }) => [file.path, target(file, from)] as const),
);

/** Returns the cyclic rest of a graph: repeatedly removes nodes that import no remaining node. */
function cyclic(edges: readonly (readonly [from: string, to: string])[]): readonly string[] {
  const importing = new Set(edges.map(([from]) => from));
  const left = edges.filter(([, to]) => importing.has(to));
  return left.length === edges.length ? [...importing] : cyclic(left);
}

describe('imports', () => {
  it('with a cycle are detected, and imports without one are not', () => {
    const line = [
      ['a', 'b'],
      ['b', 'c'],
    ] as const;
    expect(cyclic(line)).toEqual([]);
    expect(cyclic([...line, ['c', 'b']])).toEqual(['a', 'b', 'c']);
  });

  it('form no cycle of files, including types and dynamic imports', () => {
    expect(fileImports.length).toBeGreaterThan(1_000);
    expect(cyclic(fileImports)).toEqual([]);
  });
});

describe('the folders of the domain', () => {
  /** The row of a folder, as CONTRIBUTING.md orders them. */
  const rows = new Map<string, number>();
  let folders: readonly string[] = [];
  beforeAll(async () => {
    const page = await readFile(join(root, 'CONTRIBUTING.md'), 'utf8');
    const section = /^## Order of the domain$(.*?)^## /ms.exec(page)?.[1] ?? '';
    for (const [, row, listed = ''] of section.matchAll(/^\| (\d+) +\| ([^|]+)\|/gm))
      for (const [, folder = ''] of listed.matchAll(/`([^`]+)`/g)) rows.set(folder, Number(row));
    const entries = await readdir(join(root, 'domain'), { withFileTypes: true });
    folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  });

  /** Undefined for a file beside the folders. */
  const folderOf = (path: string): string | undefined => /^domain\/([^/]+)\//.exec(path)?.[1];
  const inDomain = sources.filter(({ path }) => path.startsWith('domain/'));
  const importsOf = (file: SourceFile) =>
    file.imports.map(({ from, typesOnly }) => ({ to: target(file, from), typesOnly }));

  it('each have one row of the table in CONTRIBUTING.md', () => {
    expect([...rows.keys()].sort()).toEqual([...folders].sort());
  });

  it('import only folders of earlier rows, including types', () => {
    const wrong = inDomain.flatMap((file) => {
      const folder = folderOf(file.path);
      if (folder === undefined) return [];
      return importsOf(file)
        .filter(({ to }) => {
          const other = folderOf(to);
          return (
            other !== undefined && other !== folder && Number(rows.get(other)) >= Number(rows.get(folder))
          );
        })
        .map(({ to }) => `${file.path} → ${to}`);
    });
    expect(wrong).toEqual([]);
  });

  it('are imported by no file next to them except the list of entities', () => {
    const beside = inDomain.filter(
      ({ path }) => folderOf(path) === undefined && path !== 'domain/entities.ts',
    );
    const wrong = beside.flatMap((file) =>
      importsOf(file)
        .filter(({ to, typesOnly }) =>
          to === 'domain/entities.ts' ? !typesOnly : folderOf(to) !== undefined,
        )
        .map(({ to }) => `${file.path} → ${to}`),
    );
    expect(beside.length).toBeGreaterThan(0);
    expect(wrong).toEqual([]);
    const inFolders = inDomain.filter((file) => folderOf(file.path) !== undefined);
    const listed = inFolders.filter((file) => importsOf(file).some(({ to }) => to === 'domain/entities.ts'));
    expect(listed.map(({ path }) => path)).toEqual([]);
  });
});

describe('every file', () => {
  it('refers to no file outside the repository', () => {
    const beside = ['..', 'shared/'].join('/');
    const wrong = [...sources, ...tests].filter(({ text }) => text.includes(beside));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('has a descriptive name in kebab-case', () => {
    const vague = /(?:^|-)(?:utils?|helpers?|common|misc|impl|manager|service|base|stuff)(?:-|\.|$)/;
    const wrong = [...sources, ...tests].filter(({ path }) => {
      const names = path.split('/');
      return names.some((name) => !/^[a-z\d]+(?:-[a-z\d]+)*(?:\.[a-z]+)*$/.test(name) || vague.test(name));
    });
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('is imported by its full name, and has no default export except configurations and Jest modules', () => {
    const loadedByJest = new Set(['test/run/sequencer.ts', 'test/run/test-runner.ts']);
    const wrong = [...sources, ...tests].filter(
      ({ path, text, imports }) =>
        (/^export default /m.test(text) && !loadedByJest.has(path)) ||
        imports.some(({ from }) => from.startsWith('.') && !/\.(?:tsx?|js|json|mjs|css|svg)$/.test(from)),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('has no class named Service, Manager or Helper', () => {
    const wrong = sources.filter(({ text }) =>
      /^(?:export )?(?:abstract )?class \w*(?:Service|Manager|Helper|Utils?|Impl)\b/m.test(text),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('of the tests has titles that complete the sentence of their describe', () => {
    const title = /^ +it(?:\.each\([^\n]*\)|\.each<[^\n]*>\([^\n]*\))?\(\s*'([^'\n]+)'/gm;
    const code = /^(?:[A-Z_]{2,}|[A-Z]\w*[a-z][A-Z]|\/)/;
    const titles = tests.flatMap(({ path, text }) =>
      [...text.matchAll(title)].map(([, own = '']) => ({ path, own })),
    );
    expect(titles.length).toBeGreaterThan(1_000);
    const wrong = titles.filter(({ own }) => (/^[A-Z]/.test(own) && !code.test(own)) || own.endsWith('.'));
    expect(wrong).toEqual([]);
  });

  it('of the tests has at most 400 lines', () => {
    const long = tests.filter(({ text }) => text.trimEnd().split('\n').length > 400);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  it('is not named index, except the registries of activities and workflows', () => {
    const found = sources.filter(({ path }) => path.endsWith('/index.ts')).map(({ path }) => path);
    expect(found.filter((path) => !['activities/index.ts', 'workflows/index.ts'].includes(path))).toEqual([]);
  });
});
