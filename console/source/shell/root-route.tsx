import type { ReactNode } from 'react';
import { createRootRoute, Link, type ErrorComponentProps } from '@tanstack/react-router';
import { PageTitle } from '../elements/page-title.tsx';
import { Failure } from '../elements/states.tsx';
import { Shell } from './shell.tsx';

export const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: PageFailure,
});

function NotFound(): ReactNode {
  return (
    <div className="page">
      <PageTitle>No such page</PageTitle>
      <p>
        The console has no page at this address. <Link to="/">Go to the first page.</Link>
      </p>
    </div>
  );
}

export function PageFailure({ error, reset }: ErrorComponentProps): ReactNode {
  return <Failure error={error} retry={reset} />;
}
