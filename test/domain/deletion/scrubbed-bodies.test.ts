import { mock } from 'node:test';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { CommentBody } from '../../../domain/comments/comment.entity.ts';
import { commentWithout } from '../../../domain/deletion/stores/comments/scrubbed-bodies.ts';

/** A comment that tags these users. */
const tagging = (commentText: string, userIds: readonly string[]): CommentBody => ({
  from: { userId: 'grace' },
  commentText,
  taggedUserContacts: userIds.map((userId) => ({ userId })),
});

const identifiersOf = (userIds: readonly string[]) => ({
  userIds: new Set(userIds),
  emails: new Set<string>(),
});

describe('a comment without a deleted user', () => {
  it('has no mark of the user, also when the id or the text has further braces', () => {
    const userId = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', '{', '}'), minLength: 1, maxLength: 4 }),
      fc.constantFrom('a', 'ada'),
    );
    const part = fc.constantFrom('{', '}', '{{', '}}', 'a', '{{ada}}', ' ');
    fc.assert(
      fc.property(userId, fc.array(part, { maxLength: 12 }), (id, parts) => {
        const text = parts.join('') + `{{${id}}}`;
        const { commentText } = commentWithout(tagging(text, [id]), identifiersOf([id]));
        expect(commentText).toBe(text.replaceAll(`{{${id}}}`, '{{deleted}}'));
      }),
    );
  });

  it('is read as often when it tags the user 100 times as when it tags the user once', () => {
    const passes = (['split', 'replaceAll'] as const).map((name) => mock.method(String.prototype, name));
    const readings = (contacts: number): number => {
      for (const pass of passes) pass.mock.resetCalls();
      commentWithout(tagging('{{ada}}', Array<string>(contacts).fill('ada')), identifiersOf(['ada']));
      return passes.reduce((sum, pass) => sum + pass.mock.callCount(), 0);
    };
    expect(readings(100)).toBe(readings(1));
    mock.restoreAll();
  });
});
