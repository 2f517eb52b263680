import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildConsole } from '../support/built-console.ts';

/** A part of Vite's manifest. */
interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly isDynamicEntry?: boolean;
  readonly imports?: readonly string[];
}

const kilobyte = 1_000;
let folder: string;
let chunks: Readonly<Record<string, Chunk>>;
let page: string;

beforeAll(async () => {
  folder = await buildConsole();
  chunks = JSON.parse(await readFile(join(folder, '.vite/manifest.json'), 'utf8')) as typeof chunks;
  page = await readFile(join(folder, 'index.html'), 'utf8');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Names of a chunk and of all that it loads with it. */
function withImports(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const imported of chunks[name]?.imports ?? []) withImports(imported, found);
  return found;
}

async function gzipBytes(names: readonly string[]): Promise<number> {
  const files = await Promise.all(names.map((name) => readFile(join(folder, chunks[name]?.file ?? ''))));
  return files.reduce((sum, file) => sum + gzipSync(file, { level: 6 }).length, 0);
}

const entry = (): string => Object.keys(chunks).find((name) => chunks[name]?.isEntry === true) ?? '';

describe('the build of the console', () => {
  it('loads at most 200 kB of JavaScript, compressed, before the first page', async () => {
    expect(await gzipBytes([...withImports(entry())])).toBeLessThanOrEqual(200 * kilobyte);
  });

  it('loads at most 120 kB more for each page', async () => {
    const first = withImports(entry());
    const pages = Object.keys(chunks).filter((name) => chunks[name]?.isDynamicEntry === true);
    expect(pages.length).toBeGreaterThan(3);
    for (const name of pages) {
      const more = [...withImports(name)].filter((imported) => !first.has(imported));
      expect(await gzipBytes(more)).toBeLessThanOrEqual(120 * kilobyte);
    }
  });

  it('has a page without inline scripts and styles, whose nonces the API sets', () => {
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)/);
    expect(page).not.toMatch(/<style|\sstyle=|\son[a-z]+=/);
    expect(page).toContain('<meta property="csp-nonce" nonce="__STEWARD_NONCE__">');
    expect(page).not.toMatch(/https?:\/\/|data:/);
  });
});
