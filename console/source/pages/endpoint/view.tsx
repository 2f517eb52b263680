import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { WorkspaceAdvancedWebhookEndpointsStatsGetResponse } from '@steward/client';
import { Crumbs } from '../../elements/crumbs.tsx';
import { EndpointState } from '../../elements/endpoint-state.tsx';
import { Facts } from '../../elements/facts.tsx';
import { Identifier } from '../../elements/identifier.tsx';
import { MessagesTable } from '../../elements/messages-table.tsx';
import { PageTitle } from '../../elements/page-title.tsx';
import { Empty, Queried } from '../../elements/states.tsx';
import { Status } from '../../elements/status.tsx';
import { Time } from '../../elements/time.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { EndpointActs } from './endpoint-acts.tsx';
import { MessageFilters } from './message-filters.tsx';
import { endpointQuery, messagesQuery, statsQuery } from './queries.ts';

const route = getRouteApi('/keys/$keyId/endpoint');

export function EndpointView(): ReactNode {
  const key = useKeyOfPage();
  const { endpointId } = route.useSearch();
  const query = useQuery(endpointQuery(key, endpointId));
  return (
    <div className="page">
      <Crumbs>
        <Link to="/keys/$keyId/webhooks" params={{ keyId: key.keyId }}>
          Webhooks
        </Link>
        {endpointId}
      </Crumbs>
      <Queried query={query}>
        {(endpoint) =>
          endpoint === null ? (
            <Empty>This endpoint does not exist.</Empty>
          ) : (
            <>
              <PageTitle>{endpoint.url}</PageTitle>
              <div className="heading">
                <p className="heading-facts">
                  <Identifier value={endpoint.id} />
                  <EndpointState endpoint={endpoint} />
                  <span className="quiet">
                    {endpoint.filterTypes?.join(', ') ?? 'All events'}
                    {endpoint.description !== null && `, ${endpoint.description}`}
                  </span>
                </p>
                <EndpointActs endpoint={endpoint} />
              </div>
              <Health endpointId={endpoint.id} />
              <Messages />
            </>
          )
        }
      </Queried>
    </div>
  );
}

function Health({ endpointId }: { readonly endpointId: string }): ReactNode {
  const query = useQuery(statsQuery(useKeyOfPage(), endpointId));
  const shown = new Intl.NumberFormat('en');
  return (
    <Queried query={query}>
      {(stats) => (
        <section className="panel" aria-label="Health">
          <h2>Health, last 24 hours</h2>
          <Facts
            facts={{
              Health: <HealthOf stats={stats} />,
              Pending: shown.format(stats.pending),
              Succeeded: shown.format(stats.succeeded),
              Failed: shown.format(stats.failed),
              Canceled: shown.format(stats.cancelled),
              'Response time, p95': stats.p95Ms === null ? '–' : `${shown.format(stats.p95Ms)} ms`,
              'Last attempt': <Time at={stats.lastAttemptAt} />,
              'Last success': <Time at={stats.lastSuccessAt} />,
            }}
          />
        </section>
      )}
    </Queried>
  );
}

type Stats = WorkspaceAdvancedWebhookEndpointsStatsGetResponse['data'];

/** Svix reports counts but no times. */
function HealthOf({ stats }: { readonly stats: Stats }): ReactNode {
  const { failingSince, lastAttemptAt, succeeded, failed } = stats;
  if (failingSince !== null)
    return (
      <>
        <Status tone="bad">Failing</Status> since <Time at={failingSince} />
      </>
    );
  if (lastAttemptAt !== null) return <Status tone="good">Healthy</Status>;
  return <Status tone="plain">{succeeded + failed > 0 ? 'Not reported' : 'No attempts yet'}</Status>;
}

function Messages(): ReactNode {
  const search = route.useSearch();
  const query = useQuery(messagesQuery(useKeyOfPage(), search));
  return (
    <>
      <h2>Messages</h2>
      <MessageFilters />
      <Queried query={query}>
        {({ messages, iterator, done }) => (
          <MessagesTable
            endpointId={search.endpointId}
            messages={messages}
            next={done ? undefined : (iterator ?? undefined)}
          />
        )}
      </Queried>
    </>
  );
}
