import { afterAll, describe, expect, it } from '@jest/globals';
import {
  callProvider,
  ProviderFailure,
  type ProviderLimits,
} from '../../../domain/permissions/provider/call-provider.ts';
import { batchesOf, accessCheckKey } from '../../../domain/permissions/provider/access-check.ts';
import { ResponseRoom } from '../../../domain/permissions/provider/response-room.ts';
import { eventually } from '../../support/eventually.ts';
import { aProvider, failing, saying } from '../../support/provider.ts';

const provider = await aProvider();
afterAll(provider.close);

const limits: ProviderLimits = {
  maxAttempts: 3,
  retryDelayMs: 50,
  attemptTimeoutMs: 60_000,
  totalTimeoutMs: 60_000,
  maxResponseBytes: 10_000,
};
const question = { userId: 'u', resource: { id: 'd', type: 'document', organizationId: 'o' } };
const withRoom = (room: ResponseRoom, key: string) => ({
  url: provider.url,
  tenantId: '1',
  authToken: '',
  allowedNetworks: ['127.0.0.0/8'],
  openRoom: () => room.open(key),
});
const address = withRoom(new ResponseRoom(), '1');

const ask = async (changed: Partial<ProviderLimits> = {}, signal = AbortSignal.timeout(100_000)) =>
  callProvider(address, [question], { ...limits, ...changed }, signal);

/** How the call failed, and how often the provider was called. */
async function failure(asking: () => Promise<unknown>): Promise<[string, number]> {
  const before = provider.received.length;
  const error: unknown = await asking().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ProviderFailure))
    throw new Error('It did not fail as a provider fails.', { cause: error });
  return [error.message, provider.received.length - before];
}

describe('callProvider', () => {
  it('gives up on a provider that hangs after three attempts', async () => {
    provider.behave(() => undefined);
    // Counted by user, because a request of an earlier call may arrive late.
    const failedWithin = async (attemptTimeoutMs: number): Promise<[string, number]> => {
      const userId = `within ${String(attemptTimeoutMs)} ms`;
      const signal = AbortSignal.timeout(600_000);
      const [message] = await failure(async () =>
        callProvider(address, [{ ...question, userId }], { ...limits, attemptTimeoutMs }, signal),
      );
      return [message, provider.received.filter(({ questions }) => questions[0]?.userId === userId).length];
    };
    let failed = await failedWithin(500);
    // On a slow machine, a short limit ends an attempt before its request has arrived.
    for (let limitMs = 2_000; failed[1] < 3 && limitMs < 100_000; limitMs *= 4)
      failed = await failedWithin(limitMs);
    expect(failed).toEqual(['The request timed out.', 3]);
  });

  it('gives up at the time limit of the whole call, within an attempt and between two', async () => {
    const limit = new AbortController();
    provider.behave(() => limit.abort());
    expect(await failure(async () => ask({ attemptTimeoutMs: 60_000 }, limit.signal))).toEqual([
      'The request was canceled.',
      1,
    ]);
    provider.behave(failing(500));
    const failedWithin = async (limitMs: number) =>
      failure(async () =>
        ask({ attemptTimeoutMs: 60_000, retryDelayMs: 600_000 }, AbortSignal.timeout(limitMs)),
      );
    let failed = await failedWithin(100);
    // On a slow machine, a short limit ends the first attempt.
    for (let limitMs = 400; failed[0] !== 'timed out' && limitMs < 100_000; limitMs *= 4)
      failed = await failedWithin(limitMs);
    expect(failed).toEqual(['timed out', 1]);
  });

  it('makes three attempts after a retryable failure, and one after a final one', async () => {
    for (const [status, maxAttempts] of [
      [500, 3],
      [503, 3],
      [429, 3],
      [408, 3],
      [400, 1],
      [401, 1],
      [307, 1],
    ] as const) {
      provider.behave(failing(status));
      expect(await failure(ask)).toEqual([`responded with status ${String(status)}`, maxAttempts]);
    }
  });

  it('returns the response of the second attempt', async () => {
    const before = provider.received.length;
    provider.behave((received, response) =>
      (provider.received.length === before + 1 ? failing(502) : saying({ hasAccess: true }))(
        received,
        response,
      ),
    );
    expect([...(await ask())]).toEqual([
      [accessCheckKey(question), { hasAccess: true, accessRole: 'editor', expiresAt: undefined }],
    ]);
  });

  it('sends no Authorization without a token', async () => {
    provider.behave(saying({ hasAccess: false }));
    await ask();
    expect(provider.received.at(-1)?.headers.authorization).toBeUndefined();
  });

  it('sends at most 500 checks and 256 KiB of them per request', () => {
    const many = Array.from({ length: 1_001 }, (_, at) => ({ ...question, userId: String(at) }));
    expect(batchesOf(many).map(({ length }) => length)).toEqual([500, 500, 1]);
    const long = many.slice(0, 300).map(({ userId }) => ({ ...question, userId: userId.padStart(1_000) }));
    expect(batchesOf(long).map(({ length }) => length)).toEqual([256, 44]);
    expect(batchesOf([])).toEqual([]);
  });
});

describe('responses that are being received', () => {
  const largest = { ...limits, maxAttempts: 1, maxResponseBytes: 1_048_576 };

  it('take at most 8 MiB of one key, refuse the rest, and leave room to other keys', async () => {
    const room = new ResponseRoom();
    const leaving = new AbortController();
    const call = async (key: string, signal: AbortSignal) =>
      callProvider(withRoom(room, key), [question], largest, signal);
    provider.behave((_received, response) => void response.writeHead(200).write('x'.repeat(900_000)));
    const reasons: string[] = [];
    const calls = Array.from({ length: 12 }, async () =>
      call('1', leaving.signal).catch((error: unknown) => reasons.push((error as Error).message)),
    );
    await eventually(() => reasons.length >= 3);
    expect(new Set(reasons)).toEqual(new Set(['Not enough memory for the response.']));
    provider.behave(saying({ hasAccess: true }));
    expect((await call('2', AbortSignal.timeout(100_000))).size).toBe(1);
    leaving.abort();
    await Promise.all(calls);
    expect(reasons.filter((reason) => reason === 'The request was canceled.').length).toBeGreaterThan(0);
    const share = room.open('1');
    expect(share.take(8_000_000)).toBe(true);
    share.close();
  });

  it('take at most 64 MiB of a process, of which keys with large responses leave 8 MiB', () => {
    const room = new ResponseRoom();
    const large = Array.from({ length: 20 }, (_, key) => room.open(String(key)));
    const taken = (shares: typeof large, bytes: number): number =>
      shares.filter(({ take }) => take(bytes)).length;
    expect(taken(large, 8_388_000)).toBe(7);
    const small = Array.from({ length: 40 }, (_, key) => room.open(`small ${String(key)}`));
    expect(taken(small, 261_888)).toBe(32);
    for (const share of [...large, ...small]) share.close();
    expect(taken([room.open('after')], 8_388_000)).toBe(1);
  });
});
