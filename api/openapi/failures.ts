import { declaredFailures, type DeclaredFailure } from '../http/declared-failures.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { statuses } from '../http/response/statuses.ts';
import { failureExample } from './failure-examples.ts';
import { headerRefs, rateHeaders } from './headers.ts';
import { componentRef, type JsonSchema } from './json-schema.ts';

interface Failure {
  readonly http: number;
  /** Component name. Operations with the same failures share one response. */
  readonly name: string;
  readonly response: JsonSchema;
}

const failuresOf = (endpoint: Endpoint): readonly Failure[] =>
  [...Map.groupBy(declaredFailures(endpoint), ({ http }) => http)].map(([http, found]) => ({
    http,
    name: nameOf(http, found),
    response: response(http, found),
  }));

/** Names a component. Appends the HTTP status if it is not the default of any error status. */
function nameOf(http: number, found: readonly DeclaredFailure[]): string {
  const name = found.map(({ status }) => status).join('_or_');
  return found.some(({ status }) => statuses[status].http === http) ? name : `${name}_${String(http)}`;
}

/** Returns the failures of an operation by HTTP status. */
export function failureResponses(endpoint: Endpoint): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    failuresOf(endpoint).map(({ http, name }) => [http, { $ref: `#/components/responses/${name}` }]),
  );
}

/** Returns the components that `failureResponses` refers to. */
export function failureComponents(endpoints: readonly Endpoint[]): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    endpoints.flatMap(failuresOf).map(({ name, response }): [string, JsonSchema] => [name, response]),
  );
}

/** HTTP statuses after which a retry may succeed. */
const transient = new Set([409, 429, 503]);

/** All failures have one schema, so that generated clients have one class of errors. */
const response = (http: number, found: readonly DeclaredFailure[]): JsonSchema => ({
  description: found.map(({ status, meaning }) => `${status}: ${meaning}`).join('\n\n'),
  headers: headerRefs([
    'X-Request-Id',
    ...(transient.has(http) ? (['Retry-After'] as const) : []),
    // Both are absent from a refusal that precedes them, for example that of missing credentials.
    ...rateHeaders,
    'Idempotent-Replayed',
  ]),
  content: {
    'application/json': {
      schema: { $ref: componentRef('Failure') },
      examples: Object.fromEntries(
        found.map((failure) => [failure.status, { value: failureExample(failure) }]),
      ),
    },
  },
});
