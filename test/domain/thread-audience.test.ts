import { mock } from 'node:test';
import { describe, expect, it } from '@jest/globals';
import { inAudience } from '../../domain/comments/emission/candidates.ts';
import { audienceKinds } from '../../domain/comments/thread-audience.entity.ts';

const row = (thread_id: string, kind: number, ref_id: string) => ({ thread_id, kind, ref_id });
const { user, organization } = audienceKinds;

describe('the audience of threads', () => {
  it('has the listed users and the members of the listed organizations', () => {
    const isInAudience = inAudience(
      [
        row('1', user, '7'),
        row('1', organization, '7'),
        row('2', organization, '8'),
        row('2', organization, '9'),
      ],
      [
        { user_id: '10', organization: '7' },
        { user_id: '11', organization: '9' },
      ],
    );
    const pairs = ['1', '2', '3'].flatMap((thread) =>
      ['7', '8', '10', '11']
        .filter((member) => isInAudience(thread, member))
        .map((member) => `${thread} ${member}`),
    );
    expect(pairs).toEqual(['1 7', '1 10', '2 11']);
  });

  it('takes as much memory as its rows, not as the pairs of a thread and a member', () => {
    const ids = Array.from({ length: 300 }, (_, at) => String(at));
    const add = mock.method(Set.prototype, 'add');
    const isInAudience = inAudience(
      ids.map((thread) => row(thread, organization, '1')),
      ids.map((user_id) => ({ user_id, organization: '1' })),
    );
    const added = add.mock.callCount();
    mock.restoreAll();
    expect(added).toBeLessThanOrEqual(600);
    expect(isInAudience('299', '299')).toBe(true);
  });
});
