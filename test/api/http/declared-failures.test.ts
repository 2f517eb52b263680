import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { endpoint } from '../../../api/http/endpoint.ts';
import { messageResponse } from '../../../api/http/response/message.ts';
import { notFound } from '../../../domain/errors.ts';
import { startTestApi, type LogLine } from '../../support/api.ts';
import { aClient } from '../../support/client.ts';
import { aTenant } from '../../support/factories.ts';

const missing = (path: string, errors: readonly 'NOT_FOUND'[], mutates = false) =>
  endpoint({
    paths: [path],
    credentials: 'apiKey',
    mutates,
    summary: 'Fails.',
    description: 'Fails.',
    data: z.strictObject({}),
    response: messageResponse,
    errors,
    example: {},
    handle: () => Promise.reject(notFound('Nothing is here.')),
  });

const own = [missing('/v2/test/declared', ['NOT_FOUND']), missing('/v2/test/undeclared', [])];

describe('an error status that an endpoint does not declare', () => {
  it('is sent, logged with operation and status, and makes the tests fail', async () => {
    const api = await startTestApi({ endpoints: own });
    const caller = await aTenant(api);
    for (const { paths } of own) expect((await caller.refused(paths[0])).status).toBe('NOT_FOUND');
    const lines = api.log.map((line) => JSON.parse(line) as LogLine);
    expect(lines.filter(({ msg }) => msg === 'undeclared error status')).toEqual([
      expect.objectContaining({ operation: '/v2/test/undeclared', status: 'NOT_FOUND', httpStatus: 404 }),
    ]);
    await expect(api.close()).rejects.toThrow('/v2/test/undeclared');
  });

  it('is logged for a refusal that is stored for its Idempotency-Key, and for its replay', async () => {
    const writing = [
      missing('/v2/test/declared-write', ['NOT_FOUND'], true),
      missing('/v2/test/write', [], true),
    ];
    const api = await startTestApi({ endpoints: writing });
    const caller = await aTenant(api);
    const ids: string[] = [];
    for (const path of writing.flatMap(({ paths }) => paths))
      for (const replayed of [undefined, 'true']) {
        const refusal = await caller.refused(path, undefined, { idempotencyKey: 'once' });
        expect([refusal.status, refusal.headers['idempotent-replayed']]).toEqual(['NOT_FOUND', replayed]);
        ids.push(String(refusal.headers['x-request-id']));
      }
    const lines = api.log.map((line) => JSON.parse(line) as LogLine);
    expect(
      lines
        .filter(({ msg }) => msg === 'undeclared error status')
        .map(({ operation, requestId }) => [operation, requestId]),
    ).toEqual(ids.slice(2).map((id) => ['/v2/test/write', id]));
    for (const id of ids) expect(api.accessLine(id)?.['failure']).toBe('NOT_FOUND');
    await expect(api.close()).rejects.toThrow('/v2/test/write');
  });

  it('is not reported for an unknown path or an unsupported method', async () => {
    const api = await startTestApi();
    for (const [path, method] of [
      ['/v2/organizations/get', 'GET'],
      ['/v2/nowhere', 'POST'],
    ] as const)
      expect((await aClient(api.url).refused(path, undefined, { method })).http).toBeGreaterThan(403);
    await api.close();
  });
});
