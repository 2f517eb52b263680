import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { format, resolveConfig } from 'prettier';
import { clientSources } from '../../cli/client-sources/sources.ts';
import { pages, withTables } from '../../cli/generated-tables.ts';

const repository = new URL('../../', import.meta.url);
const fileOf = (page: string): URL => new URL(`docs/${page}`, repository);

describe('cli/write-tables.ts', () => {
  it.each(pages)('does not change docs/%s', async (page) => {
    const written = await readFile(fileOf(page), 'utf8');
    const options = await resolveConfig(fileOf(page));
    // To update: node cli/write-tables.ts
    expect(await format(withTables(page, written), { ...options, parser: 'markdown' })).toBe(written);
  });

  it.each([...clientSources()])('does not change %s of the client', async (name, source) => {
    const file = new URL(`packages/client/source/generated/${name}`, repository);
    const options = await resolveConfig(file);
    // To update: node cli/write-tables.ts
    const formatted = await format(source, { ...options, parser: 'typescript' });
    expect(formatted === (await readFile(file, 'utf8'))).toBe(true);
  });

  it('replaces only text between the markers', () => {
    const empty = 'before\n<!-- configuration --><!-- /configuration -->\nafter';
    const made = withTables('configuration.md', empty);
    expect(made).toMatch(/^before\n<!-- configuration -->\n\n[^]+\n\n<!-- \/configuration -->\nafter$/);
    expect(withTables('configuration.md', made)).toBe(made);
  });

  it('names missing markers', () => {
    expect(() => withTables('configuration.md', '<!-- configuration -->')).toThrow(
      'docs/configuration.md has no <!-- configuration --> … <!-- /configuration -->.',
    );
  });
});

describe('docs/dependencies.md', () => {
  it('names exactly the packages of package.json and of the console', async () => {
    const page = await readFile(fileOf('dependencies.md'), 'utf8');
    const heads = [...page.matchAll(/^- (.*(?:\n {2}.*)*)/gm)].map(
      ([, item = '']) => item.split(/:\s/)[0] ?? '',
    );
    let scope = '';
    const named = heads.flatMap((head) =>
      [...head.matchAll(/`([^`]+)`/g)].map(([, name = '']) => {
        scope = name.startsWith('@') ? (name.split('/')[0] ?? '') : scope;
        return name.startsWith('/') ? scope + name : name;
      }),
    );
    const manifests = await Promise.all(
      ['package.json', 'console/package.json'].map(
        async (path) =>
          JSON.parse(await readFile(new URL(path, repository), 'utf8')) as Record<
            string,
            Record<string, string>
          >,
      ),
    );
    const grouped = ['@temporalio/', '@types/'];
    const names = manifests.flatMap(({ dependencies, devDependencies }) =>
      Object.keys({ ...dependencies, ...devDependencies }),
    );
    const own = new Set(['@steward/client']);
    const present = names
      .filter((name) => !own.has(name))
      .map((name) => {
        const group = grouped.find((prefix) => name.startsWith(prefix));
        return group === undefined ? name : `${group}*`;
      });
    expect(named.toSorted()).toEqual([...new Set(present)].toSorted());
  });
});
