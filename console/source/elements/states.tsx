import { useEffect, useState, type ReactNode } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import { StewardError } from '@steward/client';
import { isTransient } from '../session/query-client.ts';
import { Button } from './button.tsx';
import { Identifier } from './identifier.tsx';

const slowMs = 3_000;

export function Loading(): ReactNode {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), slowMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <output className={slow ? 'slow' : 'quiet'}>
      {slow ? 'The API is slow: still waiting for its response …' : 'Loading …'}
    </output>
  );
}

export function Empty({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className="empty">{children}</div>;
}

/** Shows why a call failed, with the request id for the log. */
export function Failure({
  error,
  retrying = false,
  retry,
}: {
  readonly error: unknown;
  readonly retrying?: boolean;
  readonly retry?: () => void;
}): ReactNode {
  const failure = error instanceof StewardError ? error : undefined;
  return (
    <div className="notice bad" role="alert">
      <strong>{titleOf(failure)}</strong>
      <span>{error instanceof Error ? error.message : 'Unknown error.'}</span>
      {failure !== undefined && failure.issues.length > 0 && (
        <ul className="stack">
          {failure.issues.slice(0, 20).map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <code>{path}</code>: {message}
            </li>
          ))}
        </ul>
      )}
      {failure !== undefined && failure.requestId !== '' && (
        <span className="quiet">
          Request id <Identifier value={failure.requestId} />
        </span>
      )}
      {retrying && <span className="quiet">Retrying automatically.</span>}
      {retry !== undefined && (
        <div className="actions">
          <Button look="small" onPress={retry}>
            Try again
          </Button>
        </div>
      )}
    </div>
  );
}

function titleOf(failure: StewardError | undefined): string {
  if (failure === undefined) return 'This part of the page failed.';
  if (failure.httpStatus === 0) return 'The API does not respond.';
  if (failure.httpStatus === 429) return 'Rate limit exceeded.';
  if (failure.httpStatus === 403) return 'This session has no access to this data.';
  if (failure.httpStatus === 404) return 'Not found.';
  if (failure.httpStatus === 400 || failure.httpStatus === 409) return 'The API rejected the request.';
  return `The API failed: ${failure.status}.`;
}

/** Shows a query: loading, failed, or its data. A failed refresh keeps the data of the last success on the page. */
export function Queried<Data>({
  query,
  children,
}: {
  readonly query: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
}): ReactNode {
  const { data, error, failureReason } = query;
  const shown = error ?? failureReason;
  return (
    <>
      {shown !== null && (
        <Failure error={shown} retrying={isTransient(shown)} retry={() => void query.refetch()} />
      )}
      {data === undefined ? shown === null && <Loading /> : children(data)}
    </>
  );
}
