import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { keepRegistered } from '../../../domain/processes/keep-registered.ts';
import type { LogLevel } from '../../../platform/logging/logger.ts';
import { startTestApi } from '../../support/api.ts';
import { issuesOf } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { anOperator, anOperatorToken, aTenant } from '../../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

const operator = anOperator(api);
const update = '/v2/operator/loglevel/update';
const get = '/v2/operator/loglevel/get';

beforeEach(() => operator.ok(update, { level: 'configured' }));

/** The level that a process reads with its first heartbeat; undefined for that of its configuration. */
async function levelOfAProcess(): Promise<LogLevel | undefined> {
  const heartbeat = Promise.withResolvers<LogLevel | undefined>();
  const { resolve, reject } = heartbeat;
  const registration = keepRegistered({
    orm: api.orm,
    kind: 'worker',
    onFailure: reject,
    onLogLevel: resolve,
  });
  const level = await heartbeat.promise;
  await registration.close();
  return level;
}

describe('the log level of every process', () => {
  it('is that of its configuration until an operator sets one', async () => {
    expect((await operator.ok(get, {})).data).toEqual({ level: 'configured', endsAt: null });
    expect(await levelOfAProcess()).toBeUndefined();
    expect((await operator.ok(update, { level: 'error' })).data).toEqual({ level: 'error', endsAt: null });
    expect((await operator.ok(get, {})).data).toEqual({ level: 'error', endsAt: null });
    expect(await levelOfAProcess()).toBe('error');
    await operator.ok(update, { level: 'configured' });
    expect(await levelOfAProcess()).toBeUndefined();
  });

  it('returns to that of the configuration when it expires', async () => {
    const endsAt = Date.now() + 3_600_000;
    await operator.ok(update, { level: 'trace', endsAt });
    expect((await operator.ok(get, {})).data).toEqual({ level: 'trace', endsAt });
    expect(await levelOfAProcess()).toBe('trace');
    await api.database.sql('update log_level set ends_at = now()');
    expect((await operator.ok(get, {})).data).toEqual({ level: 'configured', endsAt: null });
    expect(await levelOfAProcess()).toBeUndefined();
  });

  it('changes in a running process, whose access log follows it', async () => {
    const tenant = await aTenant(api);
    const logged = async (requestId: string) => {
      await tenant.ok('/v2/organizations/get', {}, { headers: { 'x-request-id': requestId } });
      return api.accessLine(requestId) !== undefined;
    };
    // A heartbeat may have set the level of an earlier test.
    await eventually(() => logged('before'));
    const linesBefore = api.log.length;
    await operator.ok(update, { level: 'error' });
    const change = () => api.log.slice(linesBefore).find((line) => line.includes('"log level changed"'));
    await eventually(() => change() !== undefined);
    expect(JSON.parse(change() ?? '')).toMatchObject({ level: 'warn', logLevel: 'error' });
    expect(await logged('after')).toBe(false);
  });

  it('is set by operators of scope operate', async () => {
    const { token } = await anOperatorToken(operator, { scope: 'read' });
    const reader = operator.with({ 'x-svc-operator-token': token });
    await reader.ok(get, {});
    expect((await reader.refused(update, { level: 'error' })).http).toBe(403);
  });

  it.each([
    ['level', { level: 'verbose' }],
    ['endsAt', { level: 'debug', endsAt: 1 }],
    ['endsAt', { level: 'debug', endsAt: '2027-01-01' }],
  ])('is refused with an issue for %s: %j', async (member, data) => {
    const refusal = await operator.refused(update, data);
    expect([refusal.http, Object.keys(issuesOf(refusal))]).toEqual([400, [`data.${member}`]]);
  });
});
