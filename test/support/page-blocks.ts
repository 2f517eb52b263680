import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** A fenced block of a page in `docs/`. */
export interface PageBlock {
  /** `sh`, `ts`, `json` … */
  readonly language: string;
  /** The text after the language, e.g. `title=api/example.ts`. */
  readonly title: string | undefined;
  readonly text: string;
}

/**
 * Applies a `diff` block to a text: hunks between lines `@@`, each of context lines (` `) and added lines (`+`).
 * Throws when context lines are missing or occur more than once.
 */
export function withAdditions(text: string, diff: string): string {
  return diff.split(/^@@\n/m).reduce((patched, hunk) => {
    const lines = hunk.split('\n').slice(0, -1);
    const [before, after] = [lines.filter((line) => !line.startsWith('+')), lines].map((those) =>
      those.map((line) => `${line.slice(1)}\n`).join(''),
    );
    const parts = patched.split(before ?? '');
    if (parts.length !== 2)
      throw new Error(`These lines are there ${String(parts.length - 1)} times:\n${hunk}`);
    return parts.join(after ?? '');
  }, text);
}

/** Returns all fenced blocks of a page with a language in order, as a reader copies them. */
export function fencedBlocks(page: string): PageBlock[] {
  const fences = page.matchAll(/^```(\w+)(?: title=(\S+))?\n([^]*?)^```$/gm);
  return [...fences].map(([, language = '', title, text = '']) => ({ language, title, text }));
}

/** Returns the fenced blocks of `docs/<page>.md`. */
export async function pageBlocks(page: string): Promise<PageBlock[]> {
  const file = fileURLToPath(new URL(`../../docs/${page}.md`, import.meta.url));
  return fencedBlocks(await readFile(file, 'utf8'));
}
