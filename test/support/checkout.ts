import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withAdditions, type PageBlock } from './page-blocks.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A copy of the sources, in which a test changes files and runs programs like a developer. */
export interface Checkout {
  readonly folder: string;
  /** Writes the blocks that have a title into the files that it names, and applies `diff` blocks. Returns their paths. */
  write(blocks: readonly PageBlock[]): Promise<string[]>;
  /** Runs the Node of this process. Never rejects. `code` is null for a killed program. */
  node(...argumentList: readonly string[]): Promise<CheckoutRun>;
  remove(): Promise<void>;
}

export interface CheckoutRun {
  readonly code: number | null;
  readonly output: string;
}

/** Excluded from the copy: git's files, data, and packages, which are shared. */
const left = new Set(['.git', '.data', 'node_modules', 'coverage']);

/** Max duration of a program in a checkout, in milliseconds. */
const limitMs = 1_800_000;

/** Copies the checkout. `node_modules` links to the original, so nothing in the copy may run `npm ci`. */
export async function aCheckout(): Promise<Checkout> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-checkout-'));
  const names = (await readdir(root)).filter((name) => !left.has(name));
  await Promise.all(
    names.map((name) =>
      cp(join(root, name), join(folder, name), { recursive: true, preserveTimestamps: true }),
    ),
  );
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    async write(blocks) {
      const titled = blocks.flatMap(({ title, ...block }) =>
        title === undefined ? [] : [{ title, ...block }],
      );
      for (const { language, title, text } of titled) {
        const file = join(folder, title);
        await mkdir(dirname(file), { recursive: true });
        const whole = language === 'diff' ? withAdditions(await readFile(file, 'utf8'), text) : text;
        await writeFile(file, whole);
      }
      return titled.map(({ title }) => title);
    },
    node: async (...argumentList) => await runNode(folder, argumentList),
    remove: async () => await rm(folder, { recursive: true, force: true }),
  };
}

async function runNode(folder: string, argumentList: readonly string[]): Promise<CheckoutRun> {
  // With these variables, a test runner would behave like a worker of this one.
  const {
    NODE_OPTIONS: _options,
    JEST_WORKER_ID: _worker,
    NODE_TEST_CONTEXT: _context,
    ...env
  } = process.env;
  return await new Promise((resolve) => {
    execFile(
      process.execPath,
      argumentList,
      { cwd: folder, env, timeout: limitMs, maxBuffer: 16_777_216 },
      (error, stdout, stderr) => {
        const { code = null } = (error ?? { code: 0 }) as { code?: number | null };
        resolve({ code, output: stdout + stderr });
      },
    );
  });
}
