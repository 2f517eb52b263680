import type { ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import type { DeliveryAttempt, NotificationDelivery } from '@steward/client';
import { DataTable, type Column } from '../../elements/data-table.tsx';
import { Identifier } from '../../elements/identifier.tsx';
import { Status } from '../../elements/status.tsx';
import { Time } from '../../elements/time.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { deliveryTone } from './delivery-tone.ts';

const columns: readonly Column<NotificationDelivery>[] = [
  { title: 'Delivery', cell: ({ deliveryId }) => <Identifier value={deliveryId} /> },
  { title: 'Recipient', cell: (delivery) => <Recipient delivery={delivery} /> },
  { title: 'Channel', cell: ({ channel, digest }) => (digest ? `${channel}, digest` : channel) },
  {
    title: 'Status',
    cell: ({ status, reason }) => (
      <>
        <Status tone={deliveryTone(status)}>{status}</Status>
        {reason !== null && <span className="quiet"> {reason}</span>}
      </>
    ),
  },
  { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: 'Sent', cell: ({ sentAt }) => <Time at={sentAt} /> },
  { title: 'Next attempt', cell: ({ nextAttemptAt }) => <Time at={nextAttemptAt} /> },
  { title: 'Details', cell: (delivery) => <Details delivery={delivery} /> },
];

export function DeliveriesTable({
  deliveries,
}: {
  readonly deliveries: readonly NotificationDelivery[];
}): ReactNode {
  return (
    <DataTable caption="Deliveries" columns={columns} rows={deliveries} id={({ deliveryId }) => deliveryId} />
  );
}

/** Links to the preferences that the delivery followed. */
function Recipient({
  delivery: { userId, organizationId },
}: {
  readonly delivery: NotificationDelivery;
}): ReactNode {
  const { keyId } = useKeyOfPage();
  return (
    <Link to="/keys/$keyId/user" params={{ keyId }} search={{ userId, organizationId, tab: 'preferences' }}>
      {userId}
    </Link>
  );
}

const attemptColumns: readonly Column<DeliveryAttempt>[] = [
  { title: 'Attempt', cell: ({ number }) => number },
  { title: 'Outcome', cell: ({ outcome }) => outcome },
  { title: 'Response', cell: ({ code }) => code ?? '–' },
  { title: 'Duration', cell: ({ durationMs }) => `${String(Math.round(durationMs))} ms`, number: true },
  { title: 'Time', cell: ({ at }) => <Time at={at} /> },
];

function Details({
  delivery: { organizationId, userId, provider, messageId, notificationIds, attempts },
}: {
  readonly delivery: NotificationDelivery;
}): ReactNode {
  const { keyId } = useKeyOfPage();
  return (
    <details>
      <summary>
        {attempts.length} {attempts.length === 1 ? 'attempt' : 'attempts'}
      </summary>
      <div className="stack">
        {attempts.length > 0 && (
          <DataTable
            caption="Attempts"
            columns={attemptColumns}
            rows={attempts}
            id={({ number }) => String(number)}
          />
        )}
        {messageId !== null && (
          <p>
            Message at {provider ?? 'the provider'}: <Identifier value={messageId} />
          </p>
        )}
        <p>
          Notifications:{' '}
          {notificationIds.length === 0
            ? 'deleted'
            : notificationIds.map((notificationId) => (
                <Identifier key={notificationId} value={notificationId}>
                  <Link
                    to="/keys/$keyId/notifications"
                    params={{ keyId }}
                    search={{ tab: 'explain', organizationId, userId, notificationId }}
                  >
                    {notificationId}
                  </Link>
                </Identifier>
              ))}
        </p>
      </div>
    </details>
  );
}
