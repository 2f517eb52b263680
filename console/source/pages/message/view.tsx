import { useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { WebhookAttempt } from '@steward/client';
import { useAct } from '../../elements/act.ts';
import { Button } from '../../elements/button.tsx';
import { Crumbs } from '../../elements/crumbs.tsx';
import { DataTable, type Column } from '../../elements/data-table.tsx';
import { ConfirmDialog } from '../../elements/dialogs.tsx';
import { JsonBlock } from '../../elements/json-block.tsx';
import { MessageState } from '../../elements/message-state.tsx';
import { PageTitle } from '../../elements/page-title.tsx';
import { Pager } from '../../elements/pager.tsx';
import { Empty, Queried } from '../../elements/states.tsx';
import { Time } from '../../elements/time.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { attemptsQuery, messageQuery } from './queries.ts';

const route = getRouteApi('/keys/$keyId/message');

const columns: readonly Column<WebhookAttempt>[] = [
  { title: 'Attempt', cell: ({ attemptNumber, trigger }) => `${String(attemptNumber ?? '–')} (${trigger})` },
  {
    title: 'Status',
    cell: ({ status, error }) => <MessageState message={{ status, statusReason: error }} />,
  },
  { title: 'HTTP', cell: ({ responseStatusCode }) => responseStatusCode ?? '–', number: true },
  { title: 'Duration', cell: ({ durationMs }) => `${String(durationMs)} ms`, number: true },
  { title: 'Response', cell: ({ response }) => <code>{response.slice(0, 500)}</code> },
  { title: 'Time', cell: ({ timestamp }) => <Time at={timestamp} /> },
];

export function MessageView(): ReactNode {
  const key = useKeyOfPage();
  const search = route.useSearch();
  const { endpointId, messageId } = search;
  const message = useQuery(messageQuery(key, search));
  const attempts = useQuery(attemptsQuery(key, search));
  return (
    <div className="page">
      <Crumbs>
        <Link to="/keys/$keyId/webhooks" params={{ keyId: key.keyId }}>
          Webhooks
        </Link>
        <Link to="/keys/$keyId/endpoint" params={{ keyId: key.keyId }} search={{ endpointId }}>
          {endpointId}
        </Link>
        {messageId}
      </Crumbs>
      <div className="heading">
        <PageTitle>{messageId}</PageTitle>
        <Resend endpointId={endpointId} messageId={messageId} />
      </div>
      <Queried query={message}>
        {(found) =>
          found === null ? (
            <Empty>This message does not exist.</Empty>
          ) : (
            <section className="panel" aria-label="Message">
              <p className="heading-facts">
                <MessageState message={found} />
                <code>{found.eventType}</code>
                <Time at={found.timestamp} />
              </p>
              <JsonBlock value={found.payload} label="Payload" />
            </section>
          )
        }
      </Queried>
      <h2>Attempts</h2>
      <Queried query={attempts}>
        {({ attempts: rows, iterator, done }) => (
          <>
            {rows.length === 0 ? (
              <Empty>No attempts yet.</Empty>
            ) : (
              <DataTable caption="Attempts" columns={columns} rows={rows} id={({ id }) => id} />
            )}
            <Pager next={done ? undefined : (iterator ?? undefined)} />
          </>
        )}
      </Queried>
    </div>
  );
}

function Resend(message: { readonly endpointId: string; readonly messageId: string }): ReactNode {
  const { keyId, client } = useKeyOfPage();
  const [asking, setAsking] = useState(false);
  const { mutation, run } = useAct(
    (data: typeof message, options) =>
      client.workspace.advancedWebhook.endpoints.messages.resend(data, options),
    { refreshes: [['key', keyId, 'endpoint', message.endpointId]], onSuccess: () => setAsking(false) },
  );
  return (
    <>
      <Button onPress={() => setAsking(true)}>Resend …</Button>
      {asking && (
        <ConfirmDialog
          title="Resend 1 message"
          action="Resend the message"
          danger={false}
          pending={mutation.isPending}
          error={mutation.error}
          confirm={() => run(message)}
          close={() => setAsking(false)}
        >
          <p>The endpoint receives the message again, under the same id.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
