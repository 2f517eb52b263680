import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { SelectField } from '../../elements/field.tsx';
import { MessagesTable } from '../../elements/messages-table.tsx';
import { Empty, Queried } from '../../elements/states.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { messagesQuery } from '../endpoint/queries.ts';
import { endpointsQuery } from '../webhooks/queries.ts';

const route = getRouteApi('/keys/$keyId/document');

/** Messages about the document to one endpoint: the chosen one, or the first. */
export function EventsTab(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(endpointsQuery(useKeyOfPage(), undefined));
  return (
    <Queried query={query}>
      {({ endpoints, done, off = false }) => {
        const [first] = endpoints;
        if (off) return <Empty>Webhooks of this API key are off.</Empty>;
        if (first === undefined) return <Empty>This API key has no webhook endpoints.</Empty>;
        const { endpointId = first.id } = search;
        return (
          <div className="stack">
            <search className="filters">
              <SelectField
                label="Endpoint"
                value={endpointId}
                values={endpoints.map(({ id, url }) => [id, url] as const)}
                onChange={(chosen) =>
                  void navigate({ search: { ...search, pageToken: undefined, endpointId: chosen } })
                }
              />
            </search>
            {!done && (
              <p className="quiet">
                The first {endpoints.length} endpoints. For another one, open its page and filter its messages
                by the document’s id.
              </p>
            )}
            <Events endpointId={endpointId} />
          </div>
        );
      }}
    </Queried>
  );
}

function Events({ endpointId }: { readonly endpointId: string }): ReactNode {
  const { documentId: channel, pageToken } = route.useSearch();
  const query = useQuery(messagesQuery(useKeyOfPage(), { endpointId, channel, pageToken }));
  return (
    <Queried query={query}>
      {({ messages, iterator, done }) => (
        <MessagesTable
          endpointId={endpointId}
          messages={messages}
          next={done ? undefined : (iterator ?? undefined)}
        />
      )}
    </Queried>
  );
}
