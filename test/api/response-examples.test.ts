import { readdir } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from '@jest/globals';
import { endpoints } from '../../api/endpoints.ts';
import { openApiDocument } from '../../api/openapi/document.ts';
import { operationIdOf } from '../../api/openapi/operation-id.ts';
import { exampleFile, responseExamplesOf } from '../../api/openapi/response-examples.ts';
import { deleteUserData } from '../../api/users-data/delete-user-data.ts';
import { tasksOf } from '../../domain/deletion/deletion-tasks.ts';

interface Media {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Response {
  readonly $ref?: string;
  readonly content: Readonly<Record<string, Media>>;
}

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Response>> }>>>
  >;
  readonly components: { readonly responses: Readonly<Record<string, Response>> };
}

const document = openApiDocument(endpoints, '1.2.3') as unknown as Document;

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'document', ...document });

/** By the text of the schema: most responses are failures of one form. */
const validators = new Map<string, (value: unknown) => boolean>();

function accepts(schema: object, value: unknown): boolean {
  const absolute = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/');
  const validate =
    validators.get(absolute) ?? (ajv.compile(JSON.parse(absolute) as object) as (value: unknown) => boolean);
  validators.set(absolute, validate);
  return validate(value);
}

/** Each body of each response: its path in the document, schema and examples. */
const bodies = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { responses }]) =>
    Object.entries(responses).flatMap(([http, response]) => {
      const { content } = document.components.responses[response.$ref?.split('/').at(-1) ?? ''] ?? response;
      return Object.entries(content).map(([type, media]) => ({
        location: `${method} ${path} ${http} ${type}`,
        schema: media.schema,
        examples:
          media.example === undefined
            ? Object.values(media.examples ?? {}).map(({ value }) => value)
            : [media.example],
      }));
    }),
  ),
);

describe('every response in the OpenAPI document', () => {
  it('has an example. Record a missing one with: npm run record:examples -- -t <path of the operation>', () => {
    expect(bodies.length).toBeGreaterThan(2_000);
    expect(bodies.filter(({ examples }) => examples.length === 0).map(({ location }) => location)).toEqual(
      [],
    );
  });

  it('has examples that its schema accepts', () => {
    const wrong = bodies.filter(({ schema, examples }) => !examples.every((one) => accepts(schema, one)));
    expect(wrong.map(({ location }) => location)).toEqual([]);
  });

  it('counts the tasks of a deletion as Steward does', () => {
    const recorded = (id: string): unknown => responseExamplesOf(id)['application/json'];
    const { userIds } = deleteUserData.example as { readonly userIds: readonly string[] };
    expect(recorded('users.data.delete')).toMatchObject({ data: { tasksCount: tasksOf(userIds.length) } });
    const data = { status: 'pending', tasksCount: tasksOf(1), tasksLeft: tasksOf(1) };
    expect(recorded('users.data.getDeletionStatus')).toMatchObject({ result: { data } });
  });

  it('has no recorded example of a removed operation', async () => {
    const files = await readdir(exampleFile('').pathname.replace(/[^/]+$/, ''));
    const ids = endpoints.map(({ paths }) => operationIdOf(paths.at(-1) ?? paths[0]));
    expect(files.toSorted()).toEqual(ids.map((id) => `${id}.json`).toSorted());
  });
});
