import assert from 'node:assert/strict';
import type { Scene, Stage } from '../scene.ts';

const kibibyte = 1_024;
const mebibyte = 1_024 * kibibyte;
/** A body of activities/add may have 10 MiB. The JSON around the hostile value is small. */
const almostAll = 10 * mebibyte - 4 * kibibyte;
const callsMeanwhile = 20;
const path = '/v2/activities/add';

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

/** The short form has one body for each step of the parser. */
const short: ReadonlySet<string> = new Set([
  'one number of 10 MiB',
  'escapes of half a surrogate pair',
  'a hundred thousand wrong values',
  'brackets without an end',
]);

/** Requests that are expensive to parse. */
export const parsing = (full: boolean): Stage => ({
  scenes: [
    ...Object.entries(hostile)
      .filter(([name]) => full || short.has(name))
      .map(([name, body]): Scene => ({
        title: `a body of ${name}`,
        async attack({ attacker, document }, neighborServed) {
          const { organizationId, documentId } = document;
          const raw = Buffer.from(
            `{"data":{"organizationId":"${organizationId}","documentId":"${documentId}","activities":[${body()}]}}`,
          );
          const { status, text } = await attacker.call(path, undefined, { raw });
          assert.ok(status === 200 || status === 400, String(status));
          if (status === 400) assert.ok(Buffer.byteLength(text) <= 64 * kibibyte);
          await neighborServed(callsMeanwhile);
        },
      })),
    {
      title: 'an Idempotency-Key and 90,000 unknown members',
      async attack({ attacker, document }, neighborServed) {
        const unknown = Array.from({ length: 90_000 }, (_, index) => [
          `${String((index * 7_919) % 90_000)}n`,
          0,
        ]);
        const organizations = [{ organizationId: document.organizationId, organizationName: 'A' }];
        const data = { organizations, ...(Object.fromEntries(unknown) as object) };
        const calls = Array.from({ length: 5 }, async (_, index) => {
          const options = { idempotencyKey: `many-${String(index)}` };
          const { status } = await attacker.call('/v1/organizations/add', data, options);
          // On a slow machine, a call may wait too long for its share of the memory for bodies.
          assert.ok(status === 200 || status === 503, String(status));
        });
        await Promise.all([...calls, neighborServed(callsMeanwhile)]);
      },
    },
    {
      title: 'a content type of 15 KiB of spaces',
      async attack({ attacker }, neighborServed) {
        const headers = { 'content-type': `application/json${' '.repeat(15 * kibibyte)}x` };
        const { http } = await attacker.refused(path, {}, { headers });
        assert.equal(http, 415);
        await neighborServed(callsMeanwhile);
      },
    },
  ],
});
