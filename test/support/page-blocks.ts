import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** A fenced block of a page in `docs/`. */
export interface PageBlock {
  /** `sh`, `ts`, `json` … */
  readonly language: string;
  /** What else stands after the language, e.g. `title=api/example.ts`. */
  readonly title: string | undefined;
  readonly text: string;
}

/** All fenced blocks of `docs/<page>.md`, in order: what a reader would copy. */
export async function pageBlocks(page: string): Promise<PageBlock[]> {
  const file = fileURLToPath(new URL(`../../docs/${page}.md`, import.meta.url));
  const fences = (await readFile(file, 'utf8')).matchAll(/^```(\w+)(?: title=(\S+))?\n([^]*?)^```$/gm);
  return [...fences].map(([, language = '', title, text = '']) => ({ language, title, text }));
}
