import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { root } from '../support/source-files.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'import-order-'));
  const rules = { 'steward/import-order': 'error' };
  const jsPlugins = [join(root, 'lint', 'import-order.mjs')];
  await writeFile(join(folder, 'config.json'), JSON.stringify({ jsPlugins, rules, categories: {} }));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

interface Linted {
  readonly exitCode: number;
  readonly report: string;
  /** The lines of the file after `--fix`. */
  readonly lines: readonly string[];
}

async function lint(lines: readonly string[], ...options: readonly string[]): Promise<Linted> {
  const file = join(folder, 'subject.ts');
  await writeFile(file, `${lines.join('\n')}\n`);
  const program = join(root, 'node_modules', 'oxlint', 'bin', 'oxlint');
  const call = [program, '--config', join(folder, 'config.json'), '--allow', 'all', ...options, file];
  const { exitCode, report } = await new Promise<Pick<Linted, 'exitCode' | 'report'>>((resolve) => {
    execFile(process.execPath, call, (error, stdout, stderr) =>
      resolve({ exitCode: Number(error?.code ?? 0), report: stdout + stderr }),
    );
  });
  return { exitCode, report, lines: (await readFile(file, 'utf8')).trimEnd().split('\n') };
}

const own = `import { own } from './own.ts';`;
const outer = `import { outer } from '../outer.ts';`;
const outermost = `import { outermost } from '../../outermost.ts';`;
const pack = `import { pack } from 'koa';`;
const builtin = `import { once } from 'node:events';`;

describe('the lint rule of import order', () => {
  it('accepts node:, then packages, then outer folders, then the same folder', async () => {
    expect(await lint([builtin, pack, outermost, outer, own])).toMatchObject({ exitCode: 0 });
  });

  it('names the misplaced import', async () => {
    const { exitCode, report } = await lint([pack, builtin]);
    expect(exitCode).toBe(1);
    expect(report).toContain(`Import 'node:events' before 'koa'`);
  });

  it('sorts imports with --fix and keeps the order of equals', async () => {
    const other = `import type { Other } from './a-other.ts';`;
    const { exitCode, lines } = await lint([own, outer, pack, other, outermost, builtin], '--fix');
    expect(exitCode).toBe(0);
    expect(lines).toEqual([builtin, pack, outermost, outer, own, other]);
  });

  it('moves no import past one that is executed for its effect', async () => {
    const effect = `import './effect.ts';`;
    expect(await lint([own, effect, builtin])).toMatchObject({ exitCode: 0 });
  });

  it('reports imports between comments and does not move them', async () => {
    const commented = [own, '// Why it is needed.', builtin];
    expect(await lint(commented, '--fix')).toMatchObject({ exitCode: 1, lines: commented });
  });
});
