import type { ReactNode } from 'react';
import { Navigate } from '@tanstack/react-router';
import { defaultKeyOf } from '../../session/session.ts';
import { useSession } from '../../shell/session-of-page.ts';
import { Empty } from '../../elements/states.tsx';

/** Opens the first page that the session has. */
export function FirstPage(): ReactNode {
  const session = useSession();
  // A page of a key would call operations of a customer who has not been chosen.
  if (session.kind === 'operator') return <Navigate to="/jobs" replace />;
  const key = defaultKeyOf(session);
  if (key !== undefined) return <Navigate to="/keys/$keyId/overview" params={{ keyId: key.id }} replace />;
  return <Empty>This workspace has no API key yet.</Empty>;
}
