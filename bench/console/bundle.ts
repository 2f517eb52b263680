import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildConsole } from '../../test/support/built-console.ts';
import type { Figure } from '../figure.ts';

/** An entry of Vite's manifest. */
interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly isDynamicEntry?: boolean;
  readonly imports?: readonly string[];
}

/** Bytes of JavaScript after gzip. */
export interface BundleBytes {
  /** Loaded before the first page. */
  readonly first: number;
  /** Additional bytes of each page, by its source file. */
  readonly pages: Readonly<Record<string, number>>;
}

/** Max gzip bytes. */
export const maxBundleBytes = { first: 200_000, page: 120_000 } as const;

/** Returns the sizes of a build that has a manifest. */
export async function bundleBytes(folder: string): Promise<BundleBytes> {
  const manifest = await readFile(join(folder, '.vite/manifest.json'), 'utf8');
  const chunks = JSON.parse(manifest) as Readonly<Record<string, Chunk>>;
  const withImports = (name: string, found = new Set<string>()): ReadonlySet<string> => {
    if (found.has(name)) return found;
    found.add(name);
    for (const imported of chunks[name]?.imports ?? []) withImports(imported, found);
    return found;
  };
  const gzipBytes = async (names: readonly string[]): Promise<number> => {
    const files = await Promise.all(names.map((name) => readFile(join(folder, chunks[name]?.file ?? ''))));
    return files.reduce((sum, file) => sum + gzipSync(file, { level: 6 }).length, 0);
  };
  const entry = Object.keys(chunks).find((name) => chunks[name]?.isEntry === true) ?? '';
  const first = withImports(entry);
  const pages: Record<string, number> = {};
  for (const name of Object.keys(chunks).filter((chunk) => chunks[chunk]?.isDynamicEntry === true))
    pages[name] = await gzipBytes([...withImports(name)].filter((imported) => !first.has(imported)));
  return { first: await gzipBytes([...first]), pages };
}

/** Measures the console's JavaScript as a browser loads it. Needs no server. */
export async function measureBundle(): Promise<Figure[]> {
  const folder = await buildConsole();
  try {
    const { first, pages } = await bundleBytes(folder);
    const [[page, bytes] = ['', 0]] = Object.entries(pages).sort(([, one], [, other]) => other - one);
    const of = (name: string, amount: number, max: number): Figure => ({
      name,
      unit: 'kB',
      steward: amount / 1_000,
      target: { of: 'measured', is: 'at most', value: max / 1_000 },
    });
    return [
      of('JavaScript of the first load, gzip', first, maxBundleBytes.first),
      of(`JavaScript of the largest page beside it, ${page}, gzip`, bytes, maxBundleBytes.page),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
