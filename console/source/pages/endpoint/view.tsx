import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { WebhookMessage } from '@steward/client';
import { Crumbs } from '../../elements/crumbs.tsx';
import { DataTable, type Column } from '../../elements/data-table.tsx';
import { EndpointState } from '../../elements/endpoint-state.tsx';
import { Facts } from '../../elements/facts.tsx';
import { SelectField } from '../../elements/field.tsx';
import { Identifier } from '../../elements/identifier.tsx';
import { MessageState } from '../../elements/message-state.tsx';
import { PageTitle } from '../../elements/page-title.tsx';
import { Pager } from '../../elements/pager.tsx';
import { Empty, Queried } from '../../elements/states.tsx';
import { Status } from '../../elements/status.tsx';
import { Time } from '../../elements/time.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { eventTypesQuery } from '../webhooks/queries.ts';
import { EndpointActs } from './endpoint-acts.tsx';
import { messageStatuses } from './endpoint-search.ts';
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
              Health:
                stats.failingSince === null ? (
                  <Status tone="good">Healthy</Status>
                ) : (
                  <>
                    <Status tone="bad">Failing</Status> since <Time at={stats.failingSince} />
                  </>
                ),
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

function Messages(): ReactNode {
  const key = useKeyOfPage();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { endpointId, status, eventType } = search;
  const query = useQuery(messagesQuery(key, search));
  const types = useQuery(eventTypesQuery(key));
  const columns: readonly Column<WebhookMessage>[] = [
    {
      title: 'Message',
      cell: ({ id }) => (
        <Identifier value={id}>
          <Link
            to="/keys/$keyId/message"
            params={{ keyId: key.keyId }}
            search={{ endpointId, messageId: id }}
          >
            {id}
          </Link>
        </Identifier>
      ),
    },
    { title: 'Event', cell: (message) => message.eventType },
    { title: 'Status', cell: (message) => <MessageState message={message} /> },
    { title: 'Attempts', cell: ({ attempts }) => attempts ?? '–', number: true },
    { title: 'Next attempt', cell: ({ nextAttemptAt }) => <Time at={nextAttemptAt} /> },
    { title: 'Time', cell: ({ timestamp }) => <Time at={timestamp} /> },
  ];
  return (
    <>
      <div className="heading">
        <h2>Messages</h2>
        <search className="filters">
          <SelectField
            label="Status"
            value={status}
            values={messageStatuses}
            none="All statuses"
            onChange={(value) => void navigate({ search: { endpointId, eventType, status: value } })}
          />
          <SelectField
            label="Event type"
            value={eventType}
            values={(types.data ?? []).map(({ name }) => name)}
            none="All types"
            onChange={(value) => void navigate({ search: { endpointId, status, eventType: value } })}
          />
        </search>
      </div>
      <Queried query={query}>
        {({ messages, iterator, done }) => (
          <>
            {messages.length === 0 ? (
              <Empty>No messages match.</Empty>
            ) : (
              <DataTable caption="Messages" columns={columns} rows={messages} id={({ id }) => id} />
            )}
            <Pager next={done ? undefined : (iterator ?? undefined)} />
          </>
        )}
      </Queried>
    </>
  );
}
