import { createContext, use } from 'react';
import type { Session } from '../session/session.ts';

export const SessionOfPage = createContext<Session | undefined>(undefined);

/** Returns the session of the signed-in reader. Throws outside the shell. */
export function useSession(): Session {
  const session = use(SessionOfPage);
  if (session === undefined) throw new Error('The page is not inside the shell.');
  return session;
}
