import { credentialHeaders } from '../http/caller/authenticate.ts';
import { tokenScopeOf } from '../http/caller/token-scope.ts';
import { declaredFailures } from '../http/declared-failures.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { statuses } from '../http/response/statuses.ts';
import { byGroup } from '../openapi/groups.ts';
import type { JsonSchema } from '../openapi/json-schema.ts';
import { operationIdOf } from '../openapi/operation-id.ts';

/** Operations under one heading of the page. */
export interface ReferenceGroup {
  readonly name: string;
  /** Lowercase, for addresses. */
  readonly slug: string;
  readonly endpoints: readonly Endpoint[];
}

export const groupPath = ({ slug }: ReferenceGroup): string => `/docs/groups/${slug}.json`;

/** Returns the headings of the page. */
export function referenceGroups(endpoints: readonly Endpoint[]): readonly ReferenceGroup[] {
  return byGroup(endpoints).map(([{ name }, members]) => ({
    name,
    slug: name.toLowerCase().replaceAll(/[^a-z]+/g, '-'),
    endpoints: members,
  }));
}

/** Returns the first content of the page: the introduction, error statuses, and operation names by group. */
export function referenceIndex(endpoints: readonly Endpoint[], document: JsonSchema): JsonSchema {
  const { title, version, description } = document['info'] as Readonly<Record<string, string>>;
  const tags = document['tags'] as readonly JsonSchema[];
  return {
    title,
    version,
    description,
    errors: Object.entries(statuses).map(([status, { http, meaning, remedy }]) => ({
      status,
      http: [...new Set([http, ...otherCodes(endpoints, status)])].toSorted((one, other) => one - other),
      meaning,
      remedy,
    })),
    groups: referenceGroups(endpoints).map((group) => ({
      name: group.name,
      description: tags.find(({ name }) => name === group.name)?.['description'],
      slug: group.slug,
      details: groupPath(group),
      operations: group.endpoints.map((endpoint) => ({
        ...names(endpoint),
        summary: endpoint.summary,
      })),
    })),
  };
}

const otherCodes = (endpoints: readonly Endpoint[], status: string): readonly number[] =>
  endpoints.flatMap((endpoint) =>
    declaredFailures(endpoint).flatMap((failure) => (failure.status === status ? [failure.http] : [])),
  );

/** The newest path names the operation; the others are aliases. */
function names({ paths }: Endpoint) {
  const [path, ...aliases] = paths.toReversed() as [string, ...string[]];
  return {
    id: operationIdOf(path),
    path,
    aliases: aliases.map((alias) => ({ id: operationIdOf(alias), path: alias })),
  };
}

/** Returns the details of a group's operations by id, and the schemas that they refer to. */
export function referenceGroup({ endpoints }: ReferenceGroup, document: JsonSchema): JsonSchema {
  const operations = Object.fromEntries(
    endpoints.map((endpoint) => [names(endpoint).id, details(endpoint, document)]),
  );
  return { operations, schemas: schemasOf(operations, document) };
}

function details(endpoint: Endpoint, document: JsonSchema) {
  const { path } = names(endpoint);
  const operation = at(document, 'paths', path, 'post');
  const status = String(endpoint.response.httpStatus);
  const sent = at(operation, 'requestBody', 'content', 'application/json');
  const [type, received] = Object.entries(at(operation, 'responses', status, 'content'))[0] ?? [];
  return {
    description: endpoint.description,
    credentials: credentialHeaders[endpoint.credentials],
    ...(endpoint.credentials === 'apiKey' && { scope: tokenScopeOf(endpoint) }),
    writes: endpoint.mutates,
    headers: (operation['parameters'] as readonly JsonSchema[])
      .map((parameter) => resolved(document, parameter))
      .map(({ name, description }) => ({ name, description })),
    request: {
      schema: at(sent, 'schema'),
      example: exampleOf(sent),
      maxMebibytes: endpoint.maxBodyMebibytes ?? 1,
    },
    response: {
      status,
      type,
      schema: at(received as JsonSchema, 'schema'),
      example: exampleOf(received as JsonSchema),
    },
    failures: declaredFailures(endpoint)
      .map(({ http, status, meaning }) => ({ http, status, meaning }))
      .toSorted((one, other) => one.http - other.http),
  };
}

function at(part: JsonSchema, ...path: readonly string[]): JsonSchema {
  return path.reduce((holder, name) => holder[name] as JsonSchema, part);
}

function exampleOf({ example, examples }: JsonSchema): unknown {
  if (example !== undefined || examples === undefined) return example;
  return Object.values(examples as Readonly<Record<string, { readonly value?: unknown }>>)[0]?.value;
}

function resolved(document: JsonSchema, part: JsonSchema): JsonSchema {
  const { $ref } = part;
  return typeof $ref === 'string' ? at(document, ...$ref.split('/').slice(1)) : part;
}

const schemaPrefix = '#/components/schemas/';

/** Returns the named schemas that `part` refers to, directly or through other schemas. */
function schemasOf(part: unknown, document: JsonSchema): JsonSchema {
  const found = new Map<string, JsonSchema>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { $ref } = value as JsonSchema;
    const name = typeof $ref === 'string' ? $ref.slice(schemaPrefix.length) : undefined;
    if (name !== undefined && !found.has(name)) {
      found.set(name, at(document, 'components', 'schemas', name));
      visit(found.get(name));
    }
    for (const member of Object.values(value)) visit(member);
  };
  visit(part);
  return Object.fromEntries(found);
}
