import type { ComponentType, ReactNode } from 'react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { StewardError } from '@steward/client';
import { Queried } from '../elements/states.tsx';
import { queryClient } from '../session/query-client.ts';

const retryMs = 3_000;

/**
 * A page whose code is loaded when the reader points at its link or opens it. While the API does not respond, the
 * page shows this and retries. The tab is reloaded only once the API responds: the router's own lazy component reloads it
 * at once, which loses the console.
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

/** Min age of a tab before it is reloaded, so that permanently missing code causes no reload loop. */
const minAgeMs = 10_000;

/** HTTP statuses from this one on are those of a proxy without an API, whose page would replace the console. */
const failedStatus = 500;

/** Reloads the tab: a browser caches the failure of a script until then, and an upgrade renames scripts. */
async function codeMissing(cause: unknown): Promise<never> {
  const response = await fetch(import.meta.url, { cache: 'no-store' }).catch(() => undefined);
  const responds = response !== undefined && response.status < failedStatus;
  if (responds && performance.now() > minAgeMs) location.reload();
  const message = 'The code of this page could not be loaded.';
  throw new StewardError(
    { status: 'UNAVAILABLE', message, details: {}, httpStatus: 0, requestId: '' },
    cause,
  );
}
