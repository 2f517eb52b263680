import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { endpoints } from '../../api/endpoints.ts';
import { createProgram } from '../../cli/program.ts';
import { jobKinds } from '../../domain/job-handlers/job-kinds.ts';
import { workflowKinds } from '../../workflows/contract.ts';
import { markdownPages, repository } from '../support/markdown-page.ts';
import { product, sourcePaths } from '../support/source-files.ts';

const pages = await markdownPages();
const subjects = pages.filter(({ path }) => path.startsWith('docs/'));
const byPath = new Map(pages.map((page) => [page.path, page]));

/** Pages whose blocks create files that the page then names. */
const creators = new Set(['docs/adding-a-job-kind.md', 'docs/testing-workflows.md']);

/** TypeScript sources, with their text. */
async function sources(): Promise<readonly { readonly path: string; readonly text: string }[]> {
  const paths = await sourcePaths([...product, 'bench', 'console/source', 'fuzz', 'test', 'testing']);
  return Promise.all(
    paths.map(async (path) => ({ path, text: await readFile(join(repository, path), 'utf8') })),
  );
}

/** Whether a path in the repository exists, including its anchor. */
function leadsSomewhere(target: string): boolean {
  const [path = '', anchor] = target.split('#');
  return (
    existsSync(join(repository, path)) &&
    (anchor === undefined || byPath.get(path)?.anchors.has(anchor) === true)
  );
}

/** Returns every occurrence of a pattern's first group, as `page: occurrence`. */
const occurrences = (pattern: RegExp, good: (found: string, path: string) => boolean): string[] =>
  pages.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)]
      .map(([, found = '']) => found)
      .filter((found) => !good(found, path))
      .map((found) => `${path}: ${found}`),
  );

describe('README.md', () => {
  it('has at most 200 lines', () => {
    expect(byPath.get('README.md')?.text.split('\n').length).toBeLessThanOrEqual(201);
  });

  it('links every page of docs/', () => {
    const readme = byPath.get('README.md')?.text ?? '';
    expect(subjects.filter(({ path }) => !readme.includes(`](${path})`))).toEqual([]);
  });
});

describe('every page', () => {
  it.each(subjects.map(({ path, prose }) => [path, prose]))(
    '%s opens with what the reader can do',
    (_path, prose) => {
      const [opening = ''] = prose.split(/^## /m);
      expect(opening.replaceAll('\n', ' ')).toMatch(/After reading this page you (can|know) /i);
    },
  );

  it('wraps its prose at 120 characters', () => {
    const long = pages
      .filter(({ path }) => path !== 'CONTRIBUTING.md')
      .flatMap(({ path, prose }) =>
        prose
          .split('\n')
          .filter((line) => line.length > 120)
          .map((line) => `${path}: ${line}`),
      );
    expect(long).toEqual([]);
  });

  it('has relative links to existing files and anchors of existing headings', () => {
    const broken = pages.flatMap(({ path, prose }) => {
      const folder = path.includes('/') ? 'docs/' : '';
      return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^https?:/.test(target))
        .map((target) => (target.startsWith('#') ? path + target : join(folder, target)))
        .filter((target) => !leadsSomewhere(target))
        .map((target) => `${path}: ${target}`);
    });
    expect(broken).toEqual([]);
  });

  it('names only npm scripts that exist', async () => {
    const { scripts } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const known = (name: string): boolean => Object.hasOwn(scripts, name);
    expect(
      occurrences(
        /\bnpm (?:run )?(?:--silent )?((?:test|start)(?![\w:])|(?<=run (?:--silent )?)[\w:]+)/g,
        known,
      ),
    ).toEqual([]);
  });

  it('names only commands that `npm run cli` has', () => {
    const program = createProgram(
      {},
      { write: () => undefined, writeError: () => undefined, showHelp: () => undefined },
    );
    const known = (line: string): boolean => {
      const [first, second] = line.replace('--json ', '').split(' ');
      const command = program.commands.find((one) => one.name() === first);
      if (command === undefined) return false;
      return command.commands.length === 0 || command.commands.some((one) => one.name() === second);
    };
    expect(occurrences(/npm run (?:--silent )?cli -- ((?:--json )?[a-z-]+(?: [a-z-]+)?)/g, known)).toEqual(
      [],
    );
  });

  it('names only operations that the API has', () => {
    const paths = new Set<string>(endpoints.flatMap((endpoint) => [...endpoint.paths]));
    const known = (path: string, page: string): boolean => paths.has(path) || creators.has(page);
    expect(occurrences(/(?<![\w|.])(\/v[12]\/[a-z][a-z0-9_/-]*[a-z])(?![\w/…*])/g, known)).toEqual([]);
  });

  it('names only files that exist', () => {
    // Pages shorten /v2/activities/add to activities/add.
    const operations = new Set(
      endpoints.flatMap(({ paths }) => paths.map((path) => path.replace(/^\/v\d\//, ''))),
    );
    const known = (file: string, page: string): boolean =>
      creators.has(page) ||
      operations.has(file) ||
      /[<*…]|\/dist\b/.test(file) ||
      existsSync(join(repository, file));
    expect(
      occurrences(
        /`((?:activities|api|bench|cli|client|console|deploy|docs|domain|fuzz|lint|local|packages|platform|server|test|testing|worker|workflows)\/[^`\s]*)`/g,
        known,
      ),
    ).toEqual([]);
  });
});

describe('comments in the source', () => {
  it('cite only pages of docs/ and anchors that exist', async () => {
    const broken = (await sources()).flatMap(({ path, text }) =>
      [...text.matchAll(/(?<![\w/])docs\/[\w-]+\.md(?:#[\w-]+)?/g)]
        .map(([target]) => target)
        .filter((target) => !leadsSomewhere(target))
        .map((target) => `${path}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('cite no document outside the checkout', async () => {
    const outside =
      /\b(?:(?:of|with) the specification|decisions of the wire|seed, "|seed\.md)|\(decisions: \w+\)/;
    expect(
      (await sources())
        .filter(({ path, text }) => !path.endsWith('pages.test.ts') && outside.test(text))
        .map(({ path }) => path),
    ).toEqual([]);
  });
});

describe('docs/finding-workflows.md', () => {
  it('lists every kind of workflow', () => {
    const page = byPath.get('docs/finding-workflows.md')?.text ?? '';
    const [, listed = ''] = /^Kinds: ([^.]+)\./m.exec(page) ?? [];
    const kinds = [...jobKinds.map(({ name }) => name), ...Object.values(workflowKinds)];
    expect(new Set([...listed.matchAll(/`([^`]+)`/g)].map(([, kind]) => kind))).toEqual(new Set(kinds));
  });
});

describe('docs/operations.md', () => {
  it('lists every log event with its level and its fields', async () => {
    const logged = new Map<string, Logged>();
    for (const { path, text } of await sources()) {
      if (/^(activities|api|domain|platform|server|worker)\//.test(path)) collectEvents(text, logged);
    }
    expect(logged.size).toBeGreaterThan(25);
    expect(listedEvents()).toEqual([...logged].map(([event, found]) => lineOf(event, found)).sort());
  });
});

interface Logged {
  readonly level: string;
  /** Fields by name, with the number of calls that have them unconditionally. */
  readonly fields: Map<string, number>;
  calls: number;
}

/** `level event (field, field?)`: fields by name. */
const lineOf = (event: string, { level, fields, calls }: Logged): string =>
  `${level} ${event} (${[...fields]
    .map(([field, always]) => (always === calls ? field : `${field}?`))
    .sort()
    .join(', ')})`;

/** Adds each `logger.<level>({ fields }, 'event')` and `logOutage(…, 'event')` of a source. */
function collectEvents(text: string, logged: Map<string, Logged>): void {
  const call =
    /\b(?:logger|lines|repeating)\.(debug|info|warn|error)\(\s*\{(?<fields>[^']*?(?:'[\w-]+'[^']*?)?)\},\s*'(?<event>[^']+)'(?:,\s*[\w.]+)?,?\s*\)/g;
  for (const { 1: level = '', groups: { fields = '', event = '' } = {} } of text.matchAll(call)) {
    const found = logged.get(event) ?? { level, fields: new Map<string, number>(), calls: 0 };
    found.calls += 1;
    const conditional = [...fields.matchAll(/\{ (\w+) \}\)/g)].map(([, name = '']) => name);
    const always = [
      ...fields.replaceAll(/\.\.\.\([^]*?\}\),?/g, '').matchAll(/(?:^|,)\s*(\w+)\s*(?=[:,]|$)/g),
    ];
    for (const [, name = ''] of always) found.fields.set(name, (found.fields.get(name) ?? 0) + 1);
    for (const name of conditional) found.fields.set(name, found.fields.get(name) ?? 0);
    logged.set(event, found);
  }
  for (const [, event = ''] of text.matchAll(/\blogOutage\([^']*'([^']+)'\)/g))
    logged.set(event, { level: 'debug', fields: new Map([['err', 1]]), calls: 1 });
}

/** The events that the page lists, in the form of `lineOf`. */
function listedEvents(): string[] {
  const page = byPath.get('docs/operations.md')?.prose ?? '';
  const [, section = ''] = /^## Log events$([^]*?)^## /m.exec(page) ?? [];
  return section
    .split(/^Level `/m)
    .flatMap((part) =>
      [...part.matchAll(/^- `([^`]+)` \(([^)]*)\):/gm)].map(
        ([, event = '', fields = '']) =>
          `${part.slice(0, part.indexOf('`'))} ${event} (${fields.replaceAll('`', '').split(/,\s*/).sort().join(', ')})`,
      ),
    )
    .sort();
}
