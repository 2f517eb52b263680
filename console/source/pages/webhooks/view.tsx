import { useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { WebhookEndpoint } from '@steward/client';
import { Button } from '../../elements/button.tsx';
import { DataTable, type Column } from '../../elements/data-table.tsx';
import { EndpointState } from '../../elements/endpoint-state.tsx';
import { Identifier } from '../../elements/identifier.tsx';
import { JsonBlock } from '../../elements/json-block.tsx';
import { PageTitle } from '../../elements/page-title.tsx';
import { Pager } from '../../elements/pager.tsx';
import { Empty, Queried } from '../../elements/states.tsx';
import { Time } from '../../elements/time.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { CreateEndpoint } from './create-endpoint.tsx';
import { endpointsQuery, eventTypesQuery } from './queries.ts';

const route = getRouteApi('/keys/$keyId/webhooks');
const titles = { endpoints: 'Endpoints', 'event-types': 'Event catalog' } as const;

export function WebhooksView(): ReactNode {
  const { keyId } = useKeyOfPage();
  const { tab = 'endpoints' } = route.useSearch();
  const [creating, setCreating] = useState(false);
  return (
    <div className="page">
      <div className="heading">
        <PageTitle>Webhooks</PageTitle>
        <Button look="primary" onPress={() => setCreating(true)}>
          Create an endpoint …
        </Button>
      </div>
      <nav className="tabs" aria-label="Webhook sections">
        {(['endpoints', 'event-types'] as const).map((name) => (
          <Link
            key={name}
            to="/keys/$keyId/webhooks"
            params={{ keyId }}
            search={{ tab: name }}
            aria-current={name === tab ? 'page' : undefined}
            activeProps={{}}
          >
            {titles[name]}
          </Link>
        ))}
      </nav>
      {tab === 'endpoints' ? <Endpoints /> : <EventTypes />}
      {creating && <CreateEndpoint close={() => setCreating(false)} />}
    </div>
  );
}

function Endpoints(): ReactNode {
  const key = useKeyOfPage();
  const { pageToken } = route.useSearch();
  const query = useQuery(endpointsQuery(key, pageToken));
  const columns: readonly Column<WebhookEndpoint>[] = [
    {
      title: 'Endpoint',
      cell: ({ id, url }) => (
        <Link to="/keys/$keyId/endpoint" params={{ keyId: key.keyId }} search={{ endpointId: id }}>
          {url}
        </Link>
      ),
    },
    { title: 'Id', cell: ({ id }) => <Identifier value={id} /> },
    { title: 'Events', cell: ({ filterTypes }) => filterTypes?.join(', ') ?? 'All' },
    { title: 'State', cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
    { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ];
  return (
    <Queried query={query}>
      {({ endpoints, iterator, done, off = false }) => (
        <>
          {endpoints.length === 0 ? (
            <Empty>
              {off ? (
                <>
                  Webhooks of this API key are off.{' '}
                  <Link
                    to="/keys/$keyId/settings"
                    params={{ keyId: key.keyId }}
                    search={{ section: 'webhooks' }}
                  >
                    Turn them on in the settings.
                  </Link>
                </>
              ) : (
                'This API key has no webhook endpoints.'
              )}
            </Empty>
          ) : (
            <DataTable caption="Endpoints" columns={columns} rows={endpoints} id={({ id }) => id} />
          )}
          <Pager next={done ? undefined : (iterator ?? undefined)} />
        </>
      )}
    </Queried>
  );
}

function EventTypes(): ReactNode {
  const query = useQuery(eventTypesQuery(useKeyOfPage()));
  return (
    <Queried query={query}>
      {(eventTypes) => (
        <div className="stack">
          {eventTypes.map((type) => (
            <details key={type.name} className="panel">
              <summary>
                <code>{type.name}</code> <span className="quiet">{type.description}</span>
              </summary>
              <JsonBlock value={type} label={`Event type ${type.name}`} />
            </details>
          ))}
        </div>
      )}
    </Queried>
  );
}
