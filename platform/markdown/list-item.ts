/** Characters of a line in the pages of `docs/`. */
const maxLine = 120;

/** An item of a Markdown list, wrapped between words. */
export function listItem(text: string): string {
  const lines = ['-'];
  for (const word of text.split(' ')) {
    const extended = `${lines.at(-1) ?? ''} ${word}`;
    if (extended.length <= maxLine) lines[lines.length - 1] = extended;
    else lines.push(`  ${word}`);
  }
  return lines.join('\n');
}
