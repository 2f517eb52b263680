import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { isTransient } from '../session/query-client.ts';
import { sessionQuery } from '../session/session.ts';
import { Failure, Loading } from '../elements/states.tsx';
import { SessionOfPage } from './session-of-page.ts';
import { SideBar } from './side-bar.tsx';
import { SignIn } from './sign-in.tsx';

/** Every page: the sign-in instead of it while there is no session, so that the reader returns to the same page. */
export function Shell(): ReactNode {
  const session = useQuery(sessionQuery);
  if (session.data === undefined && isTransient(session.error ?? session.failureReason)) {
    return (
      <Gate>
        <Failure
          error={session.error ?? session.failureReason}
          retrying
          retry={() => void session.refetch()}
        />
      </Gate>
    );
  }
  if (session.isPending) {
    return (
      <Gate>
        <Loading />
      </Gate>
    );
  }
  if (session.data === undefined || session.data === null) {
    return (
      <Gate>
        <SignIn failure={session.error} />
      </Gate>
    );
  }
  return (
    <SessionOfPage value={session.data}>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <div className="shell">
        <SideBar />
        <main id="content" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
    </SessionOfPage>
  );
}

function Gate({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div className="gate">
      <main>{children}</main>
    </div>
  );
}
