/** Max characters per line in `docs/`. */
const maxLineLength = 120;

/** A Markdown list item, wrapped between words, but not within code: the formatter would lose the indent of its rest. */
export function listItem(text: string): string {
  const lines = ['-'];
  for (const word of wordsOf(text)) {
    const extended = `${lines.at(-1) ?? ''} ${word}`;
    if (extended.length <= maxLineLength) lines[lines.length - 1] = extended;
    else lines.push(`  ${word}`);
  }
  return lines.join('\n');
}

/** The words of a text; code in backticks is one word. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  let isInCode = false;
  for (const part of text.split(' ')) {
    if (isInCode) words.push(`${words.pop() ?? ''} ${part}`);
    else words.push(part);
    if (part.split('`').length % 2 === 0) isInCode = !isInCode;
  }
  return words;
}
