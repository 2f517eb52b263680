import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseSync } from '@swc/core';
import { product, root, sourcePaths } from './support/source-files.ts';

/* Checks statements beyond the linter, whose rules in .oxlintrc.json forbid imports of `pg` and `CompiledQuery`. */

/** The folder in which statements may be strings: it builds, sends and migrates. */
const dataLayer = 'platform/database/';

/** The beginnings of whole statements. */
const statement =
  /^\s*(?:select\s+\S+.*\s(?:from|where)\s|select\s+(?:set_config|pg_\w+)\(|insert\s+into\s|update\s+\S+\s+(?:\w+\s+)?set\s|delete\s+from\s|with\s+(?:recursive\s+)?\w+\s+(?:\([\w, ]+\)\s+)?as\s|merge\s+into\s|truncate\s|(?:create|alter|drop)\s+(?:table|index|role|database|view|function|type|schema|extension)\s|listen\s+\w+$|set\s+(?:local|session)\s|vacuum\b|analyze\b|explain\s+(?:select|\()|copy\s+\w+\s|lock\s+table\s)/s;

interface Node {
  readonly type?: string;
  readonly value?: unknown;
  readonly tag?: unknown;
  readonly template?: Node;
  readonly quasis?: readonly { readonly raw: string }[];
}

const tagOf = (tag: unknown): unknown =>
  typeof tag === 'object' && tag !== null ? Reflect.get(tag, 'value') : tag;

/** Returns the texts of string and template literals except `sql` templates. Expressions in a template become `$`. */
function literalsOf(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(literalsOf);
  const { type, value, tag, template, quasis } = node as Node;
  if (type === 'StringLiteral') return [String(value)];
  if (type === 'TaggedTemplateExpression' && tagOf(tag) === 'sql')
    return literalsOf(Reflect.get(template ?? {}, 'expressions'));
  const own = type === 'TemplateLiteral' ? [(quasis ?? []).map(({ raw }) => raw).join('$')] : [];
  return [...own, ...Object.values(node).flatMap(literalsOf)];
}

/** Whether a text is a statement. Keywords are in lower case or all capitals, while prose begins with one capital. */
const isStatement = (text: string): boolean =>
  statement.test(/^\s*[A-Z]+\s/.test(text) ? text.toLowerCase() : text);

const statementsIn = (text: string): string[] =>
  literalsOf(parseSync(text, { syntax: 'typescript', target: 'es2024' })).filter((literal) =>
    isStatement(literal),
  );

describe('a statement', () => {
  it('is found in strings and templates, but not in sql templates', () => {
    const found = (source: string) => statementsIn(source).length;
    expect(found("rows(em, 'select id from job where id = $1', [id]);")).toBe(1);
    expect(found('em.execute(`update job set status = ${status}`);')).toBe(1);
    expect(found("const text = 'with due as (select 1) delete from job';")).toBe(1);
    expect(found('sql`select id from job where id = ${id}`.execute(db);')).toBe(0);
    expect(found('sql<Row>`select ${sql.raw("delete from job")}`;')).toBe(1);
    expect(found("pool.query('DELETE FROM job');")).toBe(1);
    expect(found("throw new Error('Select a folder from the list.');")).toBe(0);
  });

  it('is not a string outside platform/database', async () => {
    const files = await sourcePaths([...product, 'testing']);
    const looked = files.filter((path) => !path.startsWith(dataLayer));
    expect(looked.length).toBeGreaterThan(500);
    const wrong = await Promise.all(
      looked.map(async (path) =>
        statementsIn(await readFile(join(root, path), 'utf8')).map(
          (text) => `${path}: ${text.trim().slice(0, 60)}`,
        ),
      ),
    );
    expect(wrong.flat()).toEqual([]);
  });
});
