import { readinessOf, type ReadinessSources } from '../platform/health/readiness.ts';
import type { Page } from './http/application.ts';
import type { RequestContext } from './http/middleware/state.ts';

/** `/healthz`: the process runs. `/readyz`: it can serve calls with its database. Temporal is reported but not required. */
export function healthPages(sources: Required<Omit<ReadinessSources, 'polling'>>): readonly Page[] {
  const readiness = readinessOf(sources);
  return [
    { path: '/healthz', response: (context) => response(context, 200, { status: 'ok' }) },
    {
      path: '/readyz',
      response: async (context) => {
        const read = await readiness();
        response(context, read.status === 'ready' ? 200 : 503, read);
      },
    },
  ];
}

function response(context: RequestContext, status: number, body: object): void {
  context.status = status;
  context.set('Cache-Control', 'no-store');
  context.body = body;
}
