import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { validate } from '../../api/http/request/validate.ts';
import { reservedNames } from '../../api/cross-resource/metadata.ts';
import { operations, resolved, sent, validator, type Json } from './openapi-schemas.ts';

const reserved = [...reservedNames, '_x', '$x'];

const listOf: Readonly<Record<string, string>> = {
  '/v2/organizations/add': 'organizations',
  '/v2/organizations/update': 'organizations',
  '/v2/organizations/documents/add': 'documents',
  '/v2/organizations/documents/update': 'documents',
  '/v2/organizations/folders/add': 'folders',
  '/v2/organizations/folders/update': 'folders',
  '/v2/users/add': 'users',
  '/v2/users/update': 'users',
};

const ruled = operations.filter(({ path }) => JSON.stringify(sent(path)).includes('"propertyNames":{"not"'));

it('has no rule on v1, which ignores such members', () => {
  expect(ruled.map(({ path }) => path).toSorted()).toEqual(Object.keys(listOf).toSorted());
});

describe.each(ruled)('a reserved name as free metadata of $path', ({ path, endpoint }) => {
  const list = listOf[path] ?? '';
  const [record] = (endpoint.example as Record<string, object[]>)[list] ?? [];
  const accepts = validator(sent(path));
  const { items } = (sent(path)['properties'] as Record<string, Json>)[list] as { items: Json };
  const known = Object.keys(resolved(items)['properties'] as Json);

  it('is refused by the schema exactly where the operation refuses it, as an unknown member', async () => {
    for (const name of [...reserved, 'team', 'x_', '']) {
      const data = { ...(endpoint.example as object), [list]: [{ ...record, [name]: 'a@example.com' }] };
      const options = { passOverUnknown: false, large: false, mayNameProto: false };
      const refusal = await validate(endpoint.data, data, options).then(
        () => '',
        (error: unknown) => JSON.stringify(error),
      );
      expect([name, accepts(data)]).toEqual([name, refusal === '']);
      if (/^[_$]/.test(name) || (reserved.includes(name) && !known.includes(name)))
        expect([name, refusal]).toEqual([
          name,
          expect.stringContaining(`Unknown member: ${list}[0].${name}.`),
        ]);
    }
  });
});

it('is in docs/decisions.md', async () => {
  const page = await readFile(new URL('../../docs/decisions.md', import.meta.url), 'utf8');
  for (const name of reservedNames) expect(page).toContain(`\`${name}\``);
});

it('as the id of a folder is root, which its schema refuses like the operation', async () => {
  const path = '/v2/organizations/folders/add';
  const endpoint = operations.find((operation) => operation.path === path)?.endpoint;
  if (endpoint === undefined) throw new Error('missing operation');
  const accepts = validator(sent(path));
  const withId = (folderId: string) => ({ ...(endpoint.example as object), folders: [{ folderId }] });
  expect([accepts(withId('Root')), accepts(withId('root'))]).toEqual([true, false]);
  await expect(
    validate(endpoint.data, withId('root'), { passOverUnknown: false, large: false, mayNameProto: false }),
  ).rejects.toThrow();
});
