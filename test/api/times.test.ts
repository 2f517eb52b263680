import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../support/api.ts';
import { aTenant } from '../support/factories.ts';

const api = await startTestApi();
afterAll(() => api.close());

/** The end of the year 9999. */
const last = 253_402_300_799_999;

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly maximum?: number;
  readonly [member: string]: unknown;
}

type Time = readonly [path: string, maximum: number | undefined];

/** The paths of all integers in a schema whose description makes them times, with their maxima. Follows references. */
function timesIn(schema: unknown, path: string, document: unknown): Time[] {
  if (typeof schema !== 'object' || schema === null || path.length > 500) return [];
  const { type, description = '', maximum, $ref } = schema as Schema;
  if (typeof $ref === 'string') return timesIn(at(document, $ref), path, document);
  const own: Time[] =
    type === 'integer' && /milliseconds since the epoch/i.test(description) ? [[path, maximum]] : [];
  return [
    ...own,
    ...Object.entries(schema).flatMap(([name, part]) => timesIn(part, `${path}.${name}`, document)),
  ];
}

/** The part of a document that a reference such as `#/components/schemas/User` names. */
const at = (document: unknown, reference: string): unknown =>
  reference
    .split('/')
    .slice(1)
    .reduce((part, name) => (part as Readonly<Record<string, unknown>>)[name], document);

describe('a time in a request', () => {
  it('is at most the end of the year 9999 in every operation', async () => {
    const document = (await (await fetch(`${api.url}/openapi.json`)).json()) as {
      paths: Readonly<Record<string, { post?: { requestBody?: unknown } }>>;
    };
    const times = Object.entries(document.paths).flatMap(([path, { post }]) =>
      timesIn(post?.requestBody, path, document),
    );
    expect(times.length).toBeGreaterThan(5);
    expect(times.filter(([, maximum]) => maximum !== last)).toEqual([]);
  });

  it('is accepted up to there, and refused beyond, before it reaches the database', async () => {
    const { workspace } = await aTenant(api);
    const call = async (from: number) => workspace.call('/v2/workspace/auditlog/get', { from });
    expect((await call(last)).status).toBe(200);
    for (const from of [-1, -1e16, last + 1, 8_640_000_000_000_001, Number.MAX_SAFE_INTEGER, 1e16, 1e300]) {
      const { status, body } = await call(from);
      expect([status, body.error?.status]).toEqual([400, 'INVALID_ARGUMENT']);
      const message = `from must be an integer from 0 to ${String(last)}.`;
      expect(body.error?.details).toMatchObject({ issues: [{ path: 'data.from', message }] });
      expect(JSON.stringify(body)).not.toContain(String(from));
    }
  });

  it('is refused in comments and recordings with both limits, in one issue', async () => {
    const tenant = await aTenant(api);
    const location = { organizationId: 'o', documentId: 'd' };
    const from = { userId: 'ada' };
    const added = (createdAt: number): [string, string, object][] => [
      ['/v2/commentannotations/add', 'commentAnnotations', { commentData: [{ from }], createdAt }],
      ['/v2/recordings/add', 'recordings', { from, recordingType: 'audio', createdAt }],
    ];
    for (const createdAt of [-1, last + 1, 1e20]) {
      for (const [path, list, item] of added(createdAt)) {
        const { body } = await tenant.call(path, { ...location, [list]: [item] });
        const message = `${list}[0].createdAt must be an integer from 0 to ${String(last)}.`;
        expect(body.error?.details?.['issues']).toEqual([{ path: `data.${list}[0].createdAt`, message }]);
      }
    }
  });
});
