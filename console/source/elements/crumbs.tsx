import { Children, type ReactNode } from 'react';

/** Breadcrumbs: the ancestors of the page, from the top. */
export function Crumbs({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <nav aria-label="Path">
      <ol className="crumbs">
        {Children.map(children, (child) => child !== undefined && child !== null && <li>{child}</li>)}
      </ol>
    </nav>
  );
}
