import { describe, expect, it } from '@jest/globals';
import { act, type Acts } from '../../../../api/http/middleware/act.ts';
import { problemOf } from '../../../../api/http/response/problem.ts';
import type { IdempotentState, Operation, RequestContext } from '../../../../api/http/middleware/state.ts';

describe('a write', () => {
  it('is refused when it begins more than 30 s after its authentication', async () => {
    const operation = { endpoint: { mutates: true } } as Operation;
    const state = {
      authenticated: { scope: { kind: 'apiKey', ownerId: 'owner' } },
      authenticatedAt: performance.now() - 30_001,
    };
    const context = { state } as RequestContext<IdempotentState>;
    const writing = act({} as Acts, operation)(context, async () => undefined);
    const refusal = await Promise.resolve(writing).catch(problemOf);
    expect(refusal).toMatchObject({ status: 'UNAVAILABLE', headers: { 'Retry-After': '1' } });
  });
});
