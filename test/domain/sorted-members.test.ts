import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { idempotentRequest } from '../../domain/idempotency/idempotent-request.ts';
import { prepareRecordings } from '../../domain/recordings/recording.ts';
import { atOnce } from '../../platform/process/in-turns.ts';
import { writeJson, type Members, type MembersOf } from '../../platform/json/write-json.ts';

const textOf = (value: unknown, membersOf: MembersOf): string => {
  let text = '';
  atOnce(writeJson(value, (part) => (text += part), membersOf));
  return text;
};

/** Names that objects list first, in numeric order, beside names that only look like numbers. */
const name = fc.oneof(
  fc.integer({ min: 0, max: 120 }).map(String),
  fc.constantFrom('4294967293', '4294967294', '4294967295', '4294967296', '9007199254740993'),
  fc.constantFrom(
    '-1',
    '01',
    '1.5',
    '1e3',
    '',
    '__proto__',
    'constructor',
    'a',
    'B',
    'ä',
    '\ud83e\udd8a',
    '\uffff',
  ),
  fc.string({ unit: 'binary', maxLength: 3 }),
);
const map = fc
  .array(fc.tuple(name, fc.oneof(fc.integer(), fc.dictionary(name, fc.integer(), { maxKeys: 4 }))), {
    maxLength: 30,
  })
  .map((members) => Object.fromEntries(members));

const byName = (members: object): Members =>
  Object.entries(members).sort(([left], [right]) => (left < right ? -1 : 1));

const numericFirst: MembersOf = (members) => Object.entries(Object.fromEntries(byName(members)));

describe('the hash of a request with an Idempotency-Key', () => {
  it('is that of its members by name, with numeric names first', async () => {
    const secret = Buffer.alloc(32);
    const scope = { kind: 'apiKey', ownerId: '1' } as const;
    // Sorted in several runs.
    const many = Object.fromEntries(
      Array.from({ length: 2_500 }, (_, index) => [`n${String((index * 7_919) % 2_500)}`, index]),
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(map, fc.constant(many)), async (data) => {
        const text = textOf(data, numericFirst);
        const request = await idempotentRequest(secret, scope, { path: '/v2/a', key: 'k', data });
        const keyed = createHmac('sha256', secret).update('apiKey/1/').update(request.keyHash).update(text);
        expect(request.requestHash).toEqual(keyed.digest());
        expect(request.formerRequestHash).toEqual(createHash('sha256').update(text).digest());
      }),
    );
  });
});

describe('the hash of a recording', () => {
  it('is that of its members by name, with numeric names first', () => {
    fc.assert(
      fc.property(map, (free) => {
        const body = Object.assign({ from: { userId: 'ada' } }, { context: free });
        const recording = { id: 'r', idSent: true, createdAt: undefined, lastUpdated: undefined, body };
        const [prepared] = atOnce(prepareRecordings([recording]));
        expect(prepared?.hash).toEqual(createHash('sha256').update(textOf(body, numericFirst)).digest());
      }),
    );
  });
});
