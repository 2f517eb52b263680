import { afterAll, describe, expect, it } from '@jest/globals';
import { OperatorActs } from '../../../api/console/operator-acts.ts';
import type { Operation, RequestContext, ValidatedState } from '../../../api/http/middleware/state.ts';
import { startTestApi } from '../../support/api.ts';
import { aTenant, freshId } from '../../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

const minutes = 60_000;

/** An operator's session that calls operations for a key at the times of a clock. */
async function scene() {
  const { keyId } = await aTenant(api);
  const clock = { minute: 0, now: () => 1 + clock.minute * minutes };
  const acts = new OperatorActs(api, clock);
  const session = { kind: 'operator', id: freshId('ses') };
  const state = { session, call: { tenant: { keyId } }, requestId: null, address: null };
  return {
    call: async (path: string, minute: number, mutates = false): Promise<void> => {
      clock.minute = minute;
      const context = { state } as unknown as RequestContext<ValidatedState>;
      await acts.of({ endpoint: { mutates }, path } as Operation)(context, async () => undefined);
    },
    recorded: async (): Promise<string[]> => {
      const entries = await api.database.sql<{ operation: string }>(
        `select after ->> 'operation' as operation from audit_entry where key_id = $1 order by at`,
        [keyId],
      );
      return entries.map(({ operation }) => operation);
    },
  };
}

describe('the acts of an operator for a key', () => {
  it('have an entry for each read operation every 10 minutes, also when it is repeated all the time', async () => {
    const { call, recorded } = await scene();
    for (let minute = 0; minute <= 21; minute += 1) await call('/v2/jobs/list', minute);
    await call('/v2/jobs/get', 21);
    expect(await recorded()).toEqual(['/v2/jobs/list', '/v2/jobs/list', '/v2/jobs/get']);
  });

  it('have an entry for each write', async () => {
    const { call, recorded } = await scene();
    for (let minute = 0; minute < 3; minute += 1) await call('/v2/jobs/cancel', minute, true);
    expect(await recorded()).toEqual(['/v2/jobs/cancel', '/v2/jobs/cancel', '/v2/jobs/cancel']);
  });
});
