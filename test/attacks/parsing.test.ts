import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inFull } from '../support/tier.ts';
import { anAttackedApi, expectHarmless, type AttackedApi } from './attacked-api.ts';

const kibibyte = 1_024;
const mebibyte = 1_024 * kibibyte;
/** A body of activities/add may have 10 MiB. The JSON around the hostile value is small. */
const almostAll = 10 * mebibyte - 4 * kibibyte;
const callsMeanwhile = 20;

let target: AttackedApi;

beforeAll(async () => {
  target = await anAttackedApi();
});
afterAll(() => target.close());

const activity = (entityData: string): string =>
  `{"featureType":"comment","actionType":"comment.add","actionUser":{"userId":"u"},"entityData":${entityData}}`;

/** JSON, valid or almost, that costs a naive parser more than its size. */
const hostile: Readonly<Record<string, () => string>> = {
  'one number of 10 MiB': () => activity('1'.repeat(almostAll)),
  'text of digits': () => activity(`"${'1'.repeat(almostAll)}"`),
  'exponents without an end': () => activity(`"${'e+'.repeat(almostAll / 2)}"`),
  'digits in runs just too short to count': () =>
    activity(`"${`${'1'.repeat(299)}x`.repeat(almostAll / 300)}"`),
  'escapes of half a surrogate pair': () => activity(String.raw`"${'\\ud800'.repeat(almostAll / 6)}"`),
  'an open string': () => activity(`"${String.raw`\"`.repeat(almostAll / 2)}`),
  'a hundred thousand wrong values': () => `${'1,'.repeat(99_990)}1`,
  'one unknown member with a name of 10 MiB': () => `{"${'n'.repeat(almostAll)}":1}`,
  blanks: () => ' '.repeat(almostAll),
  'brackets without an end': () => '['.repeat(almostAll),
};

/** The short form runs one body for each step of the parser. */
const short: ReadonlySet<string> = new Set([
  'one number of 10 MiB',
  'escapes of half a surrogate pair',
  'a hundred thousand wrong values',
  'brackets without an end',
]);

describe('a body that is expensive to parse', () => {
  it.each(Object.entries(hostile).filter(([title]) => inFull || short.has(title)))(
    'of %s does not block other callers',
    async (title, body) => {
      const { organizationId, documentId } = target.document;
      const raw = Buffer.from(
        `{"data":{"organizationId":"${organizationId}","documentId":"${documentId}","activities":[${body()}]}}`,
      );
      const damage = await target.attack(title, async (neighborServed) => {
        const { status, text } = await target.attacker.call('/v2/activities/add', undefined, { raw });
        expect([200, 400]).toContain(status);
        if (status === 400) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64 * kibibyte);
        await neighborServed(callsMeanwhile);
      });
      expectHarmless(damage);
    },
    120_000,
  );

  it('with a content type of 15 KiB of spaces does not block other callers', async () => {
    const damage = await target.attack('a content type of blanks', async (neighborServed) => {
      const headers = { 'content-type': `application/json${' '.repeat(15 * kibibyte)}x` };
      const { http } = await target.attacker.refused('/v2/activities/add', {}, { headers });
      expect(http).toBe(415);
      await neighborServed(callsMeanwhile);
    });
    expectHarmless(damage);
  });
});
