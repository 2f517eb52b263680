import type { ErrorStatus } from '../../domain/errors.ts';
import type { Endpoint } from './endpoint.ts';
import { statuses } from './response/statuses.ts';

/** A failure that an operation may end with. */
export interface DeclaredFailure {
  readonly http: number;
  readonly status: ErrorStatus;
  readonly meaning: string;
}

const usual = (status: ErrorStatus): DeclaredFailure => ({ status, ...statuses[status] });

/** Of any operation, whatever it does. */
const always: readonly DeclaredFailure[] = [
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
  ).map(usual),
  { http: 400, status: 'CANCELLED', meaning: 'The request ended before its body was complete.' },
  { http: 408, status: 'DEADLINE_EXCEEDED', meaning: 'The request did not arrive in time.' },
  { http: 413, status: 'INVALID_ARGUMENT', meaning: 'The body is too large.' },
  { http: 415, status: 'INVALID_ARGUMENT', meaning: 'The body is not uncompressed JSON.' },
  { http: 417, status: 'INVALID_ARGUMENT', meaning: 'Expect is not 100-continue.' },
  { http: 431, status: 'INVALID_ARGUMENT', meaning: 'The headers are too many or too large.' },
];

const ofMutations: readonly DeclaredFailure[] = [
  usual('ABORTED'),
  { http: 422, status: 'INVALID_ARGUMENT', meaning: 'The Idempotency-Key was used with another request.' },
];

/** Every failure of an operation, each once: its own, and those that the frame gives. */
export function declaredFailures({ errors, mutates }: Endpoint): readonly DeclaredFailure[] {
  const all = [...always, ...errors.map(usual), ...(mutates ? ofMutations : [])];
  return [...new Map(all.map((failure) => [keyOf(failure.http, failure.status), failure])).values()];
}

const keyOf = (http: number, status: ErrorStatus): string => `${String(http)} ${status}`;

/** Whether the operation of a path declares a failure; other paths have no operation, and declare everything. */
export type IsDeclared = (path: string, http: number, status: ErrorStatus) => boolean;

/** Of these operations. */
export function declaredBy(endpoints: readonly Endpoint[]): IsDeclared {
  const byPath = new Map(
    endpoints.flatMap((endpoint) => {
      const declared = new Set(declaredFailures(endpoint).map(({ http, status }) => keyOf(http, status)));
      return endpoint.paths.map((path) => [path, declared] as const);
    }),
  );
  return (path, http, status) => byPath.get(path)?.has(keyOf(http, status)) !== false;
}
