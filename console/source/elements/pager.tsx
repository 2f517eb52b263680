import type { ReactNode } from 'react';
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { Button } from './button.tsx';
import { Empty } from './states.tsx';

/**
 * Shows that a page of a list is empty; `children` that the list is. A page that has examined the max of records ends
 * before the first one that matches.
 */
export function EmptyPage({
  next,
  children,
}: {
  readonly next: string | undefined;
  readonly children: ReactNode;
}): ReactNode {
  const { pageToken } = useSearch({ strict: false });
  if (next !== undefined) return <Empty>None on this page; later pages may have some.</Empty>;
  return <Empty>{pageToken === undefined ? children : 'None on this page.'}</Empty>;
}

/** Pages of a list by the token in the URL. Previous pages are the browser's history, so back and forward work the same way. */
export function Pager({ next }: { readonly next: string | undefined }): ReactNode {
  const { history } = useRouter();
  const navigate = useNavigate();
  const { pageToken } = useSearch({ strict: false });
  const page = history.location.state.page ?? 0;
  const open = (token: string | undefined, to: number): void =>
    void navigate({
      to: '.',
      search: (search) => ({ ...search, pageToken: token }),
      state: { page: to },
    });
  if (next === undefined && pageToken === undefined) return null;
  return (
    <nav className="pager" aria-label="Pages">
      <Button isDisabled={pageToken === undefined} onPress={() => open(undefined, 0)}>
        First page
      </Button>
      <Button isDisabled={page === 0} onPress={() => history.back()}>
        Previous
      </Button>
      <Button isDisabled={next === undefined} onPress={() => open(next, page + 1)}>
        Next
      </Button>
    </nav>
  );
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** How many pages of a list lie before this one in the history. */
    readonly page?: number;
  }
}
