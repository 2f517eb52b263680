import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { aTenant } from '../../support/factories.ts';
import { aRawCaller, headOf, responsesIn } from '../../support/raw-caller.ts';
import { testEarlyRefusals } from './early-refusals.ts';

const mebibyte = 1_048_576;
const get = '/v2/organizations/get';
const add = '/v2/organizations/add';
const api = await startTestApi();
afterAll(api.close);
const tenant = await aTenant(api);
const wrong = { ...tenant.headers, 'x-svc-auth-token': 'wrong' };
const large = Buffer.alloc(20 * mebibyte, 'a');

// Only many rounds detect a lost refusal. The long test has 22.
await testEarlyRefusals(api, 5);

describe('a connection after an early refusal', () => {
  it('closes the server’s half first, and the rest while its caller continues to send', async () => {
    const brief = await startTestApi({
      database: api.database,
      limits: { linger: { maxBytes: mebibyte, maxMs: 100 } },
    });
    try {
      const caller = await aRawCaller(brief.url);
      caller.socket.allowHalfOpen = true;
      await caller.write(headOf(get, { 'Content-Length': 100 * mebibyte }));
      await eventually(() => caller.ended());
      expect(caller.received()).toMatch(/^HTTP\/1.1 413 /);
      const flood = setInterval(() => caller.socket.write(large.subarray(0, 65_536)), 1);
      await eventually(() => caller.socket.destroyed);
      clearInterval(flood);
      // Includes bytes in kernel buffers.
      expect(caller.socket.bytesWritten).toBeLessThan(50 * mebibyte);
    } finally {
      await brief.close();
    }
  });

  it('runs no request after the refused body', async () => {
    const tooLarge = headOf(add, { ...tenant.headers, 'Content-Length': mebibyte + 1 });
    const body = JSON.stringify({ data: { organizations: [{ organizationId: 'behind' }] } });
    const behind = `${headOf(add, { ...tenant.headers, 'Content-Length': body.length })}${body}`;
    const caller = await aRawCaller(api.url);
    await caller.write(tooLarge);
    await caller.write(large.subarray(0, mebibyte + 1));
    await caller.write(behind);
    await eventually(() => caller.ended());
    expect(responsesIn(caller.received()).map(({ status }) => status)).toEqual([413]);
    expect((await tenant.ok<unknown[]>(get, {})).data).toEqual([]);
    caller.socket.destroy();
  });

  it('stays open when a small rest follows, and closes when it does not', async () => {
    const lingering = async (maxMs: number) =>
      startTestApi({ database: api.database, limits: { linger: { maxBytes: mebibyte, maxMs } } });
    // A slow machine may need long for the rest.
    const [patient, brief] = [await lingering(60_000), await lingering(500)];
    try {
      const body = '{"data":{}}';
      const caller = await aRawCaller(patient.url);
      await caller.write(headOf(get, { ...wrong, 'Content-Length': body.length }));
      await caller.until(/\r\n\r\n\{.*\}$/s);
      await caller.write(body);
      await caller.write(`${headOf(get, { ...tenant.headers, 'Content-Length': body.length })}${body}`);
      await caller.until(/200 OK/);
      expect(responsesIn(caller.received()).map(({ status }) => status)).toEqual([403, 200]);
      const idle = await aRawCaller(brief.url);
      await idle.write(headOf(get, { ...wrong, 'Content-Length': body.length }));
      await eventually(() => idle.ended());
      expect(responsesIn(idle.received()).map(({ status }) => status)).toEqual([403]);
      caller.socket.destroy();
      idle.socket.destroy();
    } finally {
      await patient.close();
      await brief.close();
    }
  });
});
