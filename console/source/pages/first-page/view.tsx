import type { ReactNode } from 'react';
import { Navigate } from '@tanstack/react-router';
import { useSession } from '../../shell/session-of-page.ts';
import { Empty } from '../../elements/states.tsx';

/** Opens the first page that the session has. */
export function FirstPage(): ReactNode {
  const { apiKeys, kind } = useSession();
  const [first] = apiKeys;
  if (first !== undefined)
    return <Navigate to="/keys/$keyId/overview" params={{ keyId: first.id }} replace />;
  if (kind === 'operator') return <Navigate to="/jobs" replace />;
  return <Empty>This workspace has no API key yet.</Empty>;
}
