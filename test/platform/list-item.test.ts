import { describe, expect, it } from '@jest/globals';
import { listItem } from '../../platform/markdown/list-item.ts';

describe('a list item in Markdown', () => {
  it('is wrapped at 120 characters', () => {
    const lines = listItem('word '.repeat(60).trim()).split('\n');
    expect(lines[0]).toMatch(/^- word/);
    expect(lines.slice(1).every((line) => /^ {2}word/.test(line))).toBe(true);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(120);
  });

  it('is not wrapped within code', () => {
    for (let words = 0; words < 30; words += 1) {
      const item = listItem(`${'word '.repeat(words)}Default: \`npm start --all now\`, and \`one\` more.`);
      for (const line of item.split('\n')) expect(line.split('`').length % 2).toBe(1);
    }
  });
});
