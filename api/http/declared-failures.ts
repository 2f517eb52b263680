import type { ErrorStatus } from '../../domain/errors.ts';
import type { Endpoint } from './endpoint.ts';
import { statuses } from './response/statuses.ts';

/** A failure that an operation can return. */
export interface DeclaredFailure {
  readonly http: number;
  readonly status: ErrorStatus;
  readonly meaning: string;
}

const defaultFailure = (status: ErrorStatus): DeclaredFailure => ({ status, ...statuses[status] });

/** Failures that every operation can return. */
const commonFailures: readonly DeclaredFailure[] = [
  ...(
    [
      'INVALID_ARGUMENT',
      'UNAUTHENTICATED',
      'PERMISSION_DENIED',
      'RESOURCE_EXHAUSTED',
      'INTERNAL',
      'UNAVAILABLE',
      'DEADLINE_EXCEEDED',
    ] as const
  ).map(defaultFailure),
  { http: 400, status: 'CANCELLED', meaning: 'The connection ended before the body was complete.' },
  { http: 408, status: 'DEADLINE_EXCEEDED', meaning: 'The request did not arrive before its deadline.' },
  { http: 413, status: 'INVALID_ARGUMENT', meaning: 'The body exceeds its max size.' },
  { http: 415, status: 'INVALID_ARGUMENT', meaning: 'The body is compressed or is not JSON.' },
  { http: 417, status: 'INVALID_ARGUMENT', meaning: 'The Expect header is not 100-continue.' },
  { http: 431, status: 'INVALID_ARGUMENT', meaning: 'The headers exceed their max number or size.' },
];

const mutationFailures: readonly DeclaredFailure[] = [
  defaultFailure('ABORTED'),
  { http: 422, status: 'INVALID_ARGUMENT', meaning: 'A different request has used the Idempotency-Key.' },
];

/** Returns each failure of an operation once: its own and those of the HTTP layer. */
export function declaredFailures({ errors, mutates }: Endpoint): readonly DeclaredFailure[] {
  const all = [...commonFailures, ...errors.map(defaultFailure), ...(mutates ? mutationFailures : [])];
  return [...new Map(all.map((failure) => [keyOf(failure.http, failure.status), failure])).values()];
}

const keyOf = (http: number, status: ErrorStatus): string => `${String(http)} ${status}`;

/** Returns whether the operation at a path declares a failure. Returns true for paths without an operation. */
export type IsDeclared = (path: string, http: number, status: ErrorStatus) => boolean;

/** Looks up declared failures among these endpoints. */
export function declaredBy(endpoints: readonly Endpoint[]): IsDeclared {
  const byPath = new Map(
    endpoints.flatMap((endpoint) => {
      const declared = new Set(declaredFailures(endpoint).map(({ http, status }) => keyOf(http, status)));
      return endpoint.paths.map((path) => [path, declared] as const);
    }),
  );
  return (path, http, status) => byPath.get(path)?.has(keyOf(http, status)) !== false;
}
