import type { ComponentType, ReactNode } from 'react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { StewardError } from '@steward/client';
import { Queried } from '../elements/states.tsx';
import { queryClient } from '../session/query-client.ts';

const retryMs = 3_000;

/**
 * A page whose code is loaded once its link is pointed at or it is opened. While the API does not respond, the page says so and
 * loads later; the router's own lazy component would reload the tab, in which nothing of the console would be left.
 */
export function lazyPage<Name extends string>(
  load: () => Promise<Readonly<Record<Name, ComponentType>>>,
  name: Name,
) {
  const query = queryOptions({
    queryKey: ['code', name],
    queryFn: async () => {
      const code: Readonly<Record<Name, ComponentType>> = await load().catch(codeMissing);
      const View: ComponentType = code[name];
      return { View };
    },
    staleTime: Infinity,
    retry: false,
    refetchInterval: ({ state }) => (state.status === 'error' ? retryMs : false),
  });
  const Page = (): ReactNode => <Queried query={useQuery(query)}>{({ View }) => <View />}</Queried>;
  return Object.assign(Page, { preload: () => queryClient.prefetchQuery(query) });
}

/** A tab that was just loaded is not loaded again at once, should its code be missing for good. */
const minAgeMs = 10_000;

/** A browser remembers that a script failed to load until the tab is loaded again; after an upgrade, its name is another one. */
async function codeMissing(cause: unknown): Promise<never> {
  const response = await fetch(import.meta.url, { cache: 'no-store' }).catch(() => undefined);
  if (response !== undefined && performance.now() > minAgeMs) location.reload();
  const message = 'The code of this page could not be loaded.';
  throw new StewardError(
    { status: 'UNAVAILABLE', message, details: {}, httpStatus: 0, requestId: '' },
    cause,
  );
}
