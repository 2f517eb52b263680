/** Max characters per line in `docs/`. */
const maxLineLength = 120;

/** A Markdown list item, wrapped between words. */
export function listItem(text: string): string {
  const lines = ['-'];
  for (const word of text.split(' ')) {
    const extended = `${lines.at(-1) ?? ''} ${word}`;
    if (extended.length <= maxLineLength) lines[lines.length - 1] = extended;
    else lines.push(`  ${word}`);
  }
  return lines.join('\n');
}
