import { describe, expect, it } from '@jest/globals';
import { threadHeadline, threadHeadlines } from '../../domain/thread-headlines.ts';
import { findEventType } from '../../domain/webhooks/event-types.ts';

const exampleOf = (type: string) => findEventType(type)?.example as Readonly<Record<string, unknown>>;

describe('the headline of a change of a comment thread', () => {
  it.each(Object.keys(threadHeadlines))('of type %s shows the actor and has no empty variable', (type) => {
    const headline = threadHeadline(type, exampleOf(type));
    expect(headline).toMatch(/^Mary /);
    expect(headline).not.toMatch(/[{}]/);
  });

  it.each([
    ['actionUser', 'comment.add'],
    ['assignedTo', 'comment_annotation.assign'],
  ])('is missing without %s, which a deletion of user data removes', (member, type) => {
    const { [member]: _gone, ...left } = exampleOf(type);
    expect(threadHeadline(type, left)).toBeUndefined();
  });

  it('shows "nobody" and "none" for an assignee and a priority that were removed', () => {
    const { assignedTo: _user, ...assigned } = exampleOf('comment_annotation.assign');
    const headline = threadHeadline('comment_annotation.assign', { ...assigned, assignedTo: null });
    expect(headline).toBe('Mary assigned nobody');
    const { newPriority: _priority, ...changed } = exampleOf('comment_annotation.priority_change');
    expect(threadHeadline('comment_annotation.priority_change', { ...changed, newPriority: null })).toBe(
      'Mary changed the priority to none',
    );
  });

  it('is missing for other types', () => {
    expect(threadHeadline('toString', exampleOf('comment.add'))).toBeUndefined();
  });
});
