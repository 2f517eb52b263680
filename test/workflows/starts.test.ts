import { describe, expect, it } from '@jest/globals';
import { askAiStartOf } from '../../workflows/starts.ts';

describe('the start of an AI call', () => {
  it.each([
    ['req_0123456789abcdefghijABCDEFGHIJ01', true],
    ['6f1c7e1e-3f0b-4a53-9c1b-0a8f7d2f4c11', true],
    ['a'.repeat(65), false],
    ['ada@example.com', false],
    ['https://example.com/ada', false],
    [undefined, false],
  ])(
    'has the id of its request as a memo only where Temporal may store it: %s',
    (callerRequestId, stored) => {
      const { memo } = askAiStartOf({
        requestId: 'ask_1',
        provider: 'openai',
        keyId: 'akid_1',
        callerRequestId,
      });
      expect(memo).toEqual(stored ? { requestId: callerRequestId } : undefined);
    },
  );
});
