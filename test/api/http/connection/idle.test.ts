import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../../support/api.ts';
import { eventually } from '../../../support/eventually.ts';
import { aTenant } from '../../../support/factories.ts';
import { aRawCaller, headOf, responsesIn } from '../../../support/raw-caller.ts';
import { stall } from '../../../support/stall.ts';

const idleWithinMs = 500;
const api = await startTestApi({ limits: { idleWithinMs } });
afterAll(api.close);
const tenant = await aTenant(api);

const body = JSON.stringify({ data: { organizationIds: ['acme'] } });
const headers = { ...tenant.headers, 'Content-Length': Buffer.byteLength(body) };
const request = `${headOf('/v2/organizations/get', headers)}${body}`;

describe('an idle connection', () => {
  it('is closed after its limit', async () => {
    const caller = await aRawCaller(api.url);
    await caller.write(request);
    await eventually(() => caller.ended());
    expect(responsesIn(caller.received()).map(({ status }) => status)).toEqual([200]);
  });

  it('gets the response of a request that arrived while the process stalled beyond the limit', async () => {
    const caller = await aRawCaller(api.url);
    caller.socket.once('data', () => {
      // Written to the kernel at once. The loop next runs its timers, and only then reads. Node adds a second to the limit.
      caller.socket.write(request);
      stall(idleWithinMs + 2_000);
    });
    await caller.write(request);
    await eventually(() => caller.socket.destroyed);
    expect(caller.failure()).toBeUndefined();
    expect(responsesIn(caller.received()).map(({ status }) => status)).toEqual([200, 200]);
  });
});
