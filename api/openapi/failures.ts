import type { ErrorStatus } from '../../domain/errors.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { statuses } from '../http/response/statuses.ts';
import { componentRef, type JsonSchema } from './json-schema.ts';

/** What any operation may answer, whatever it does. */
const always: readonly ErrorStatus[] = [
  'INVALID_ARGUMENT',
  'UNAUTHENTICATED',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
];

/** HTTP statuses that are not the one of their error status. */
const special = {
  408: { status: 'DEADLINE_EXCEEDED', says: 'The request did not arrive in time.' },
  413: { status: 'INVALID_ARGUMENT', says: 'The body is too large.' },
  415: { status: 'INVALID_ARGUMENT', says: 'The body is not uncompressed JSON.' },
  417: { status: 'INVALID_ARGUMENT', says: 'Expect is not 100-continue.' },
  422: { status: 'INVALID_ARGUMENT', says: 'The Idempotency-Key was used with another request.' },
  431: { status: 'INVALID_ARGUMENT', says: 'The headers are too many or too large.' },
} as const satisfies Record<number, { status: ErrorStatus; says: string }>;

interface Failure {
  readonly http: string;
  /** Among the components: operations that fail alike share one response. */
  readonly name: string;
  readonly response: JsonSchema;
}

function failuresOf(endpoint: Endpoint): readonly Failure[] {
  const possible = new Set<ErrorStatus>([
    ...always,
    ...endpoint.errors,
    ...(endpoint.mutates ? (['ABORTED'] as const) : []),
  ]);
  const ordinary = [...Map.groupBy(possible, (status) => statuses[status].http)];
  const others = Object.entries(special).filter(([http]) => http !== '422' || endpoint.mutates);
  return [
    ...ordinary.map(([http, found]) => ({
      http: String(http),
      name: found.join('_or_'),
      response: response(found),
    })),
    ...others.map(([http, { status, says }]) => ({
      http,
      name: `${status}_${http}`,
      response: response([status], says),
    })),
  ];
}

/** Every failure of an operation, by HTTP status. */
export function failureResponses(endpoint: Endpoint): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    failuresOf(endpoint).map(({ http, name }) => [http, { $ref: `#/components/responses/${name}` }]),
  );
}

/** What `failureResponses` refers to. */
export function failureComponents(endpoints: readonly Endpoint[]): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    endpoints.flatMap(failuresOf).map(({ name, response }): [string, JsonSchema] => [name, response]),
  );
}

function response(found: readonly ErrorStatus[], says?: string): JsonSchema {
  const description = found.map((status) => `${status}: ${says ?? statuses[status].says}`).join('\n\n');
  const error = { properties: { status: { enum: found } } };
  const schema = { allOf: [{ $ref: componentRef('Failure') }, { properties: { error } }] };
  return { description, content: { 'application/json': { schema } } };
}
