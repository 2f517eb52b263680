import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { EndpointHealth } from '@steward/client';
import { DataTable, type Column } from '../../elements/data-table.tsx';
import { EndpointState } from '../../elements/endpoint-state.tsx';
import { Empty, Queried } from '../../elements/states.tsx';
import { Status } from '../../elements/status.tsx';
import { Time } from '../../elements/time.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { healthQuery } from './queries.ts';

/** Endpoints of the key that fail, receive nothing, or have pending messages. */
export function EndpointHealths(): ReactNode {
  const key = useKeyOfPage();
  const query = useQuery(healthQuery(key));
  const columns: readonly Column<EndpointHealth>[] = [
    { title: 'Endpoint', cell: (endpoint) => <Name endpoint={endpoint} keyId={key.keyId} /> },
    { title: 'State', cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
    { title: 'Health', cell: (endpoint) => <Health endpoint={endpoint} /> },
    {
      title: 'Pending',
      number: true,
      cell: ({ pending }) => (pending >= maxPending ? `${String(pending)} or more` : pending),
    },
    { title: 'Oldest pending', cell: ({ oldestPendingAt }) => <Time at={oldestPendingAt} /> },
    { title: 'Last success', cell: ({ lastSuccessAt }) => <Time at={lastSuccessAt} /> },
  ];
  return (
    <section className="panel" aria-label="Webhook endpoints">
      <h2>Webhook endpoints with a backlog or failures</h2>
      <Queried query={query}>
        {({ endpoints, more }) => {
          const shown = endpoints.filter(
            ({ disabled, paused, failingSince, pending }) =>
              disabled || paused || failingSince !== null || pending > 0,
          );
          return (
            <>
              {shown.length === 0 ? (
                <Empty>
                  {endpoints.length === 0
                    ? 'This API key has no webhook endpoints.'
                    : 'All endpoints are enabled and succeeding, with no pending messages.'}
                </Empty>
              ) : (
                <DataTable
                  caption="Endpoints"
                  columns={columns}
                  rows={shown}
                  id={({ endpointId }) => endpointId}
                />
              )}
              {more && <p className="quiet">Of the first 100 endpoints.</p>}
            </>
          );
        }}
      </Queried>
    </section>
  );
}

/** Max pending messages that the API counts. */
const maxPending = 1_000;

function Name({
  endpoint: { endpointId, kind, host },
  keyId,
}: {
  readonly endpoint: EndpointHealth;
  readonly keyId: string;
}): ReactNode {
  const name = host ?? endpointId;
  if (kind !== 'advanced') return `${name} (${kind})`;
  return (
    <Link to="/keys/$keyId/endpoint" params={{ keyId }} search={{ endpointId }}>
      {name}
    </Link>
  );
}

function Health({ endpoint: { failingSince, paused } }: { readonly endpoint: EndpointHealth }): ReactNode {
  if (paused) return <Status tone="warn">Paused by an operator</Status>;
  if (failingSince === null) return <Status tone="good">Healthy</Status>;
  return (
    <>
      <Status tone="bad">Failing</Status> since <Time at={failingSince} />
    </>
  );
}
