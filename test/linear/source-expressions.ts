import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSync } from '@swc/core';
import { product, root, sourcePaths } from '../support/source-files.ts';

/** An expression in source form; `new RegExp` for one that is built at run time. */
export interface SourceExpression {
  readonly file: string;
  readonly written: string;
}

/** Every expression of the product. */
export async function sourceExpressions(): Promise<SourceExpression[]> {
  const files = await sourcePaths(product, /\.(?:ts|js|mjs)$/);
  const found = await Promise.all(files.map(expressionsOf));
  return found.flat();
}

interface SyntaxNode {
  readonly type?: string;
  readonly pattern?: string;
  readonly flags?: string;
  readonly callee?: { readonly type?: string; readonly value?: string };
}

async function expressionsOf(file: string): Promise<SourceExpression[]> {
  const program = parseSync(await readFile(join(root, file), 'utf8'), { syntax: 'typescript' });
  const found: SourceExpression[] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, pattern = '', flags = '', callee } = node as SyntaxNode;
    if (type === 'RegExpLiteral') found.push({ file, written: `/${pattern}/${flags}` });
    if ((type === 'NewExpression' || type === 'CallExpression') && callee?.value === 'RegExp')
      found.push({ file, written: 'new RegExp' });
    for (const part of Object.values(node)) walk(part);
  };
  walk(program);
  return found;
}
