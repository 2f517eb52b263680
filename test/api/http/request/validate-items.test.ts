import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { validateItems } from '../../../../api/http/request/validate-items.ts';
import { items } from '../../../../api/schemas.ts';
import { atOnce } from '../../../../platform/process/in-turns.ts';

describe('a list that is validated in slices', () => {
  it('is still validated in slices after describe', () => {
    const list = items(z.string()).describe('Names.');
    const sent = { names: ['Ada', 1] };
    const validated = atOnce(validateItems(z.strictObject({ names: list }), sent));
    expect(list.description).toBe('Names.');
    expect(validated.get(sent.names)?.wrong.map(([index]) => index)).toEqual([1]);
  });
});
