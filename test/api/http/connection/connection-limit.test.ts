import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../../support/api.ts';
import { eventually } from '../../../support/eventually.ts';
import { calledThrough, aTenant } from '../../../support/factories.ts';
import { closeConnections } from '../../../support/client.ts';
import { aRawCaller, headOf, responsesIn, type RawCaller } from '../../../support/raw-caller.ts';

const get = '/v2/organizations/get';
const api = await startTestApi({ environment: { STEWARD_MAX_CONNECTIONS: '20' } });
afterAll(api.close);
const tenant = await aTenant(api);

describe('the connection limit', () => {
  it('closes the longest idle connection to admit a new one', async () => {
    closeConnections();
    const idle: RawCaller[] = [];
    for (let count = 0; count < 20; count += 1) idle.push(await aRawCaller(api.url));
    const later = calledThrough(api, tenant);
    expect((await later.call(get, {})).status).toBe(200);
    await eventually(() => idle[0]?.ended() === true || idle[0]?.failure() !== undefined);
    expect(idle.slice(1).filter((caller) => caller.ended())).toEqual([]);
    for (const { socket } of idle) socket.destroy();
    closeConnections();
  });

  it('refuses a new connection with UNAVAILABLE while all others are busy', async () => {
    const busy: RawCaller[] = [];
    for (let count = 0; count < 20; count += 1) {
      const caller = await aRawCaller(api.url);
      await caller.write(headOf(get, { ...tenant.headers, Expect: '100-continue', 'Content-Length': 11 }));
      await caller.until(/100 Continue/);
      busy.push(caller);
    }
    const refused = await aRawCaller(api.url);
    await eventually(() => refused.ended());
    const [response] = responsesIn(refused.received());
    expect([response?.status, response?.body.error?.status, response?.headers['retry-after']]).toEqual([
      503,
      'UNAVAILABLE',
      '5',
    ]);
    for (const { socket } of busy) socket.destroy();
    await eventually(async () => expect((await tenant.call(get, {})).status).toBe(200));
  });
});
