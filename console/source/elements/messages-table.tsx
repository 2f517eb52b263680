import type { ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import type { WebhookMessage } from '@steward/client';
import { useKeyOfPage } from '../shell/key-of-page.ts';
import { DataTable, type Column } from './data-table.tsx';
import { Identifier } from './identifier.tsx';
import { MessageState } from './message-state.tsx';
import { EmptyPage, Pager } from './pager.tsx';
import { Time } from './time.tsx';

/** A page of the messages of an endpoint. */
export function MessagesTable({
  endpointId,
  messages,
  next,
}: {
  readonly endpointId: string;
  readonly messages: readonly WebhookMessage[];
  readonly next: string | undefined;
}): ReactNode {
  const { keyId } = useKeyOfPage();
  const columns: readonly Column<WebhookMessage>[] = [
    {
      title: 'Message',
      cell: ({ id }) => (
        <Identifier value={id}>
          <Link to="/keys/$keyId/message" params={{ keyId }} search={{ endpointId, messageId: id }}>
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
      {messages.length === 0 ? (
        <EmptyPage next={next}>No messages match.</EmptyPage>
      ) : (
        <DataTable caption="Messages" columns={columns} rows={messages} id={({ id }) => id} />
      )}
      <Pager next={next} />
    </>
  );
}
