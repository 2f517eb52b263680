import { describe, expect, it } from '@jest/globals';
import { validate } from '../../api/http/request/validate.ts';
import { operations, sent, validator } from './openapi-schemas.ts';

const unknown = 'zzUnknown';

/** Returns copies of a value, each with an unknown member in one of its objects, and the path of that object. */
function withUnknownMember(value: unknown, member = 'data'): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.entries(value).flatMap(([name, part]) =>
    withUnknownMember(part, `${member}.${name}`).map(([at, changed]): [string, unknown] => [
      at,
      Array.isArray(value) ? value.with(Number(name), changed) : { ...value, [name]: changed },
    ]),
  );
  return Array.isArray(value) ? below : [[member, { ...value, [unknown]: 'x' }], ...below];
}

describe('the schema of a request', () => {
  it('accepts unknown members exactly where the operation does: everywhere on v1, in open objects on v2', async () => {
    const wrong: object[] = [];
    const counts = { accepted: 0, refused: 0 };
    for (const { path, endpoint } of operations) {
      const passOverUnknown = path.startsWith('/v1/');
      const accepts = validator(sent(path));
      for (const [member, data] of withUnknownMember(endpoint.example)) {
        const options = { passOverUnknown, large: false, mayNameProto: false };
        const accepted = await validate(endpoint.data, structuredClone(data), options).then(
          () => true,
          () => false,
        );
        counts[accepted ? 'accepted' : 'refused'] += 1;
        if (accepts(data) !== accepted) wrong.push({ path, member, accepted });
        if (passOverUnknown && !accepted) wrong.push({ path, member, accepted });
      }
    }
    expect(wrong).toEqual([]);
    expect(counts.accepted).toBeGreaterThan(50);
    expect(counts.refused).toBeGreaterThan(100);
  });

  it('closes no object on v1', () => {
    const closed = operations.filter(
      ({ path }) =>
        path.startsWith('/v1/') && JSON.stringify(sent(path)).includes('"additionalProperties":false'),
    );
    expect(closed.map(({ path }) => path)).toEqual([]);
  });

  it('closes the data on v2', () => {
    for (const { path } of operations) {
      if (path.startsWith('/v2/')) expect([path, sent(path)['additionalProperties']]).toEqual([path, false]);
    }
  });
});
