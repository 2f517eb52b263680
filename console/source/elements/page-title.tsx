import { useEffect, type ReactNode } from 'react';

/** The heading of a page, and the title of its tab. */
export function PageTitle({ children }: { readonly children: string }): ReactNode {
  useEffect(() => {
    document.title = `${children} · Steward`;
  }, [children]);
  return <h1>{children}</h1>;
}
