import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The folder of this repository. */
export const repository = fileURLToPath(new URL('../../', import.meta.url));

/** A page in Markdown, by its path in the repository. */
export interface MarkdownPage {
  readonly path: string;
  /** The whole text. */
  readonly text: string;
  /** Without fenced blocks and generated parts. */
  readonly prose: string;
  /** The anchors of the headings, like GitHub's. */
  readonly anchors: ReadonlySet<string>;
}

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

async function readPage(path: string): Promise<MarkdownPage> {
  const text = await readFile(`${repository}${path}`, 'utf8');
  const outside = text.replaceAll(/^```[^]*?^```$/gm, '');
  const headings = [...outside.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
  const prose = outside.replaceAll(/^<!-- (\w+) -->$[^]*?^<!-- \/\1 -->$/gm, '');
  return { path, text, prose, anchors: new Set(headings) };
}

/** `README.md`, `CONTRIBUTING.md` and all pages of `docs/`. */
export async function markdownPages(): Promise<readonly MarkdownPage[]> {
  const names = (await readdir(`${repository}docs`)).filter((name) => name.endsWith('.md')).sort();
  const paths = ['README.md', 'CONTRIBUTING.md', ...names.map((name) => `docs/${name}`)];
  return Promise.all(paths.map(readPage));
}
