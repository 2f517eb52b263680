import { describe, expect, it } from '@jest/globals';
import { ClosingStack } from '../../testing/closing-stack.ts';

describe('the teardown after a failed start', () => {
  it('returns the reason of the start', async () => {
    const reason = new Error('No server.');
    expect(await new ClosingStack().closeAfter(reason)).toBe(reason);
  });

  it('keeps the message of the start, and has the errors of the teardown in its cause', async () => {
    const parts = new ClosingStack();
    const closed: string[] = [];
    await parts.add(async () => closed.push('first'));
    await parts.add(async () => Promise.reject(new Error('Does not stop.')));
    const reason = new Error('No server.');
    expect(await parts.closeAfter(reason)).toMatchObject({
      name: 'StartFailure',
      message: 'No server.',
      cause: { errors: [reason, { errors: [{ message: 'Does not stop.' }] }] },
    });
    expect(closed).toEqual(['first']);
  });
});
