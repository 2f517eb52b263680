import { describe, expect, it } from '@jest/globals';
import { replaceMarks } from '../../../domain/comments/replace-users.ts';
import { shownText } from '../../../domain/users/shown-text.ts';
import { threadsWithout } from '../../../domain/users/users-in-threads.ts';

describe('the text of a notification', () => {
  const marks = '{{a}}{{b}}{{';

  it.each([
    ['{{a}} and {{b}}', 'Ann and {{b}}'],
    ['{{{a}}}', '{Ann}'],
    [marks, 'Ann{{b}}{{'],
    ['x'.repeat(600), 'x'.repeat(500)],
    [`${'x'.repeat(499)}😀😀`, `${'x'.repeat(499)}😀`],
    ['😀'.repeat(501), '😀'.repeat(500)],
  ])('replaces marks of tagged users and is truncated to 500 characters: %#', (text, shown) => {
    expect(shownText(text, [{ userId: 'a', name: 'Ann' }])).toBe(shown);
  });

  it.each(['{7b2a}', '{{7b2a}}', '7b2a}', '}}'])('finds the marks of an id with braces: %s', (userId) => {
    const text = `{{a}}, {{${userId}}} {{b}}}`;
    expect(shownText(text, [{ userId, name: 'Ben' }])).toBe('{{a}}, Ben {{b}}}');
    expect(replaceMarks(text, new Map([[userId, '{new}']]))).toBe('{{a}}, {{{new}}} {{b}}}');
    const cleaned = threadsWithout({ commentText: text }, (id) => id === userId);
    expect(cleaned).toEqual({ commentText: `{{a}}, {{deleted}} {{b}}}` });
  });

  it('takes linear time where marks open and few close', () => {
    const text = `${'{'.repeat(16_000)}}}`;
    const before = process.threadCpuUsage();
    for (let nth = 0; nth < 200; nth += 1) expect(shownText(text, [{ userId: 'a' }])).toHaveLength(500);
    const spent = process.threadCpuUsage(before);
    // Of CPU time, 0.1 s; copying and hashing the rest of the text at each opening took 15 s.
    expect(spent.user + spent.system).toBeLessThan(5_000_000);
  });
});
