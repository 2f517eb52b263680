import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { endpoints } from '../../api/endpoints.ts';
import { startTestApi } from '../support/api.ts';
import type { Response, Result } from '../support/client.ts';
import { destructiveLast } from '../support/left-worlds.ts';
import { statementsOf } from '../support/statements.ts';
import { forAtMost, inFull } from '../support/tier.ts';
import { callerOf } from '../support/operations.ts';
import { about } from '../support/world-ids.ts';
import { aWorld, type World } from '../support/world.ts';

/* Generated from the registry: an operation is covered from the moment it is registered. */

const api = await startTestApi();
afterAll(api.close);

/** Marks hostile values, so that a response that repeats one is detected. */
const mark = 'value-7f3a';
const nested = (depth: number): unknown => (depth === 0 ? mark : [nested(depth - 1)]);

const hostile: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  '',
  ' ',
  mark,
  `${mark}\u0000`,
  `${mark}\u001b[31m`,
  `'; drop table organization; -- ${mark}`,
  '{0}%s%n${7*7}<script>',
  '\ud800',
  mark.repeat(101),
  mark.repeat(2_000),
  '__proto__',
  'root',
  'NaN',
  '1e999',
  [],
  {},
  [[]],
  [null],
  [mark, 7],
  [mark, mark],
  Array.from({ length: 1_001 }, (_, index) => `id-${String(index)}`),
  Array.from({ length: 1_001 }, () => ({})),
  { length: 1, 0: mark },
  { toString: mark, valueOf: null },
  { length: { toString: mark } },
  nested(40),
  { $ne: null },
];

let left: Promise<World> | undefined;

/** Whether the credentials of a world are valid and its records are there. */
async function isWhole({ tenant, ids }: World): Promise<boolean> {
  const found = await tenant.call('/v2/users/get', {
    organizationId: ids.organization[0],
    userIds: ids.user,
  });
  const listed = found.status === 200 && found.text.includes(ids.user[0] ?? '');
  return listed && (await tenant.workspace.call('/v2/workspace/get')).status === 200;
}

/** Returns the world of the previous operation when it is intact, otherwise a new one. */
async function nextWorld(): Promise<World> {
  if (left === undefined || !(await isWhole(await left))) left = aWorld(api);
  return left;
}

const names = [
  '__proto__',
  'constructor',
  'toString',
  'data',
  'id',
  '',
  ' ',
  '\u0000',
  'a.b[0]',
  '\ud800',
  'pageSize',
  'pageToken',
  'x'.repeat(3_000),
];

const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...hostile) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
);
const mutation = fc.record({
  at: fc.nat(30),
  what: fc.constantFrom('replace', 'replace', 'remove', 'add', 'repeat'),
  name: fc.constantFrom(...names),
  value,
});
type Mutation = typeof mutation extends fc.Arbitrary<infer Value> ? Value : never;

/** Returns the data with the n-th value changed. `fromEntries` defines `__proto__` as an own member. */
function mutated(data: unknown, { at, what, name, value: hostileValue }: Mutation): unknown {
  let left = at % Math.max(1, chunksOf(data));
  const walk = (part: unknown): unknown => {
    if (left === 0) {
      left = -1;
      return changed(part);
    }
    left -= 1;
    if (Array.isArray(part)) return part.map((item) => walk(item));
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([member, inner]) => [member, walk(inner)]));
  };
  const changed = (part: unknown): unknown => {
    if (what === 'replace' || typeof part !== 'object' || part === null) return hostileValue;
    if (Array.isArray(part))
      return what === 'remove' ? part.slice(1) : [...(part as unknown[]), hostileValue];
    const members = Object.entries(part);
    if (what === 'remove') return Object.fromEntries(members.slice(1));
    return Object.fromEntries([
      ...members,
      [what === 'add' ? name : (members[0]?.[0] ?? name), hostileValue],
    ]);
  };
  return walk(data);
}

function chunksOf(data: unknown): number {
  if (typeof data !== 'object' || data === null) return 1;
  return Object.values(data).reduce((sum: number, part) => sum + chunksOf(part), 1);
}

function expectAnEnvelope({ status, headers, text, body }: Response): void {
  expect(status).toBeLessThan(500);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(text).not.toMatch(/node_modules|\.ts:\d/);
  if (status < 300) {
    // One response has no envelope. One older list and the rewriter have neither status nor message.
    const result = status === 202 ? (body as unknown as Result) : body.result;
    const plain = ['items', 'success'].some((member) => Object.hasOwn(result ?? {}, member));
    if (!plain) expect(result?.status).toBe('success');
    return;
  }
  const { error } = body;
  expect(error?.message).not.toBe('');
  if (error?.status !== 'INVALID_ARGUMENT') return;
  expect(error.details.issues?.length).toBeGreaterThan(0);
  expect(error.details.issues?.[0]?.message).toBe(error.message);
  for (const { path, message } of error.details.issues ?? []) {
    expect(path).toMatch(/^(?:data|$)/);
    expect(message).not.toContain(mark);
  }
}

describe('hostile input', () => {
  const covered = endpoints.map((endpoint) => ({ endpoint, path: endpoint.paths[0] }));

  // The first call with a cursor creates the cursor key, even if the call fails.
  beforeAll(async () => {
    const { tenant } = await aWorld(api);
    await tenant.refused('/v2/organizations/get', { pageToken: 'x' });
  });

  it.each(destructiveLast(covered))(
    'to $path returns 4xx with issues and writes nothing',
    async ({ endpoint }) => {
      const { tenant, ids } = await nextWorld();
      const caller = callerOf(api, tenant, endpoint);
      const example = about(ids, endpoint.example);
      const cases = fc.asyncProperty(
        fc.array(mutation, { minLength: 1, maxLength: 3 }),
        fc.constantFrom(...endpoint.paths),
        forAtMost(3_000, async (mutations, path) => {
          const data = mutations.reduce<unknown>(mutated, example);
          let response: Response | undefined;
          const sent = await statementsOf(async () => {
            response = await caller.call(path, undefined, { raw: JSON.stringify({ data }) });
          });
          if (response === undefined) throw new Error('No answer.');
          if (endpoint.response.client === 'stream' && response.status === 200) return;
          // The data was valid, and no worker runs here.
          if (path === '/v2/rewriter/ask-ai' && response.body.error?.status === 'UNAVAILABLE') return;
          expectAnEnvelope(response);
          if (response.status < 300) return;
          const texts = sent.map(({ text }) => text.trim().toLowerCase());
          expect(texts).not.toContain('commit');
          const alone = texts.includes('begin')
            ? []
            : texts.filter((text) => /\b(?:insert into|update|delete from) /.test(text));
          expect(alone).toEqual([]);
        }),
      );
      await fc.assert(cases, { numRuns: inFull ? 400 : 6 });
    },
  );

  it('never returns INTERNAL', () => {
    expect(api.log.filter((line) => line.includes('"unexpected error"'))).toEqual([]);
  });
});
