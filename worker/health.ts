import { readinessOf, type ReadinessSources } from '../platform/health/readiness.ts';
import type { PageResponse } from '../platform/metrics/metrics-server.ts';

type HealthPage = () => Promise<PageResponse>;

/** `/healthz`: responds while the event loop runs. A probe of a blocked loop times out. */
export const livenessPage: HealthPage = async () => page(200, { status: 'ok' });

/** `/readyz`: the database can be used, Temporal responds, and every task queue is polled. */
export function readinessPage(sources: Required<Omit<ReadinessSources, 'draining'>>): HealthPage {
  const readiness = readinessOf(sources);
  return async () => {
    const read = await readiness();
    return page(read.status === 'ready' ? 200 : 503, read);
  };
}

const page = (status: number, body: object): PageResponse => ({
  status,
  contentType: 'application/json; charset=utf-8',
  body: JSON.stringify(body),
});
