import { describe, expect, it } from '@jest/globals';
import { ClosingStack } from '../../platform/process/closing-stack.ts';
import { closeAfter } from '../../testing/close-after.ts';

describe('the teardown after a failed start', () => {
  it('returns the reason of the start', async () => {
    const reason = new Error('No server.');
    expect(await closeAfter(new ClosingStack(), reason)).toBe(reason);
  });

  it('keeps the message of the start, and has the errors of the teardown in its cause', async () => {
    const parts = new ClosingStack();
    const closed: string[] = [];
    await parts.add(async () => closed.push('first'));
    await parts.add(async () => Promise.reject(new Error('Does not stop.')));
    const reason = new Error('No server.');
    expect(await closeAfter(parts, reason)).toMatchObject({
      name: 'StartFailure',
      message: 'No server.',
      cause: { errors: [reason, { errors: [{ message: 'Does not stop.' }] }] },
    });
    expect(closed).toEqual(['first']);
  });
});
