import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../../support/api.ts';
import { eventually } from '../../../support/eventually.ts';
import { aTenant } from '../../../support/factories.ts';
import { aRawCaller, headOf, responsesIn } from '../../../support/raw-caller.ts';

const api = await startTestApi();
afterAll(api.close);
const tenant = await aTenant(api);

/** A whole request, as one text. */
function requestOf(path: string, data: object): string {
  const body = JSON.stringify({ data });
  return `${headOf(path, { ...tenant.headers, 'Content-Length': Buffer.byteLength(body) })}${body}`;
}
const add = (organizationId: string): string =>
  requestOf('/v2/organizations/add', { organizations: [{ organizationId }] });
const get = requestOf('/v2/organizations/get', {});

/** Sends all, closes our half at once, and returns what came until the server closed the connection. */
async function received(sent: string): Promise<string> {
  const caller = await aRawCaller(api.url);
  caller.socket.end(sent);
  await eventually(() => caller.socket.destroyed);
  expect(caller.failure()).toBeUndefined();
  expect(caller.ended()).toBe(true);
  return caller.received();
}
const statuses = async (sent: string): Promise<number[]> =>
  responsesIn(await received(sent)).map(({ status }) => status);

describe('a caller that closes its half after the request', () => {
  it('gets the response of a write', async () => {
    expect(await statuses(add('half'))).toEqual([200]);
  });

  it('gets the whole of a streamed list', async () => {
    const organizations = Array.from({ length: 900 }, (_, number) => ({
      organizationId: `o-${String(number)}`,
      note: 'n'.repeat(500),
    }));
    await tenant.ok('/v2/organizations/add', { organizations });
    const list = await received(get);
    expect(list).toMatch(/^HTTP\/1.1 200 /);
    expect(list).toContain('"o-899"');
    expect(list).toMatch(/\r\n0\r\n\r\n$/);
  });

  it('gets the responses of all requests that it sent', async () => {
    expect(await statuses(`${add('first')}${add('second')}${add('third')}`)).toEqual([200, 200, 200]);
  });

  it('gets the refusal of a request', async () => {
    expect(await statuses(requestOf('/v2/organizations/add', {}))).toEqual([400]);
    expect(await statuses(requestOf('/v2/nothing', {}))).toEqual([404]);
  });

  it('gets the refusal of a request that is cut short', async () => {
    expect(await statuses(add('cut').slice(0, -5))).toEqual([400]);
    expect(await statuses(add('cut').slice(0, 20))).toEqual([400]);
  });
});

describe('a caller that closes its half without a request', () => {
  it('loses its connection', async () => {
    expect(await received('')).toBe('');
    const caller = await aRawCaller(api.url);
    await caller.write(add('kept'));
    await caller.until(/200 OK/);
    caller.socket.end();
    await eventually(() => caller.socket.destroyed);
  });
});
