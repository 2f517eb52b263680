import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ActivityLog, CommentAnnotation, Notification } from '@steward/client';
import { DataTable, type Column } from '../../elements/data-table.tsx';
import { Identifier } from '../../elements/identifier.tsx';
import { EmptyPage, Pager } from '../../elements/pager.tsx';
import { Queried } from '../../elements/states.tsx';
import { Status } from '../../elements/status.tsx';
import { Time } from '../../elements/time.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { activityQuery, notificationsQuery, threadsQuery } from './queries.ts';

const route = getRouteApi('/keys/$keyId/document');

function useLocation() {
  const { organizationId, documentId, pageToken } = route.useSearch();
  return { location: { organizationId, documentId }, pageToken };
}

export function ThreadsTab(): ReactNode {
  const { location, pageToken } = useLocation();
  const query = useQuery(threadsQuery(useKeyOfPage(), location, pageToken));
  return (
    <Queried query={query}>
      {({ threads, next }) => (
        <div className="stack">
          {threads.length === 0 && <EmptyPage next={next}>No threads.</EmptyPage>}
          {threads.map((thread) => thread !== null && <Thread key={thread.annotationId} thread={thread} />)}
          <Pager next={next} />
        </div>
      )}
    </Queried>
  );
}

function Thread({ thread }: { readonly thread: CommentAnnotation }): ReactNode {
  const { annotationId, status, commentsCount, comments, lastUpdated } = thread;
  return (
    <article className="panel">
      <div className="heading-facts">
        <Status tone={status.type === 'terminal' ? 'good' : 'busy'}>{status.name}</Status>
        <Identifier value={annotationId} />
        <span className="quiet">
          {commentsCount} {commentsCount === 1 ? 'comment' : 'comments'}, updated <Time at={lastUpdated} />
        </span>
      </div>
      <ul className="steps">
        {comments.slice(0, 10).map((comment) => (
          <li key={comment.commentId}>
            <strong>{comment.from.name ?? comment.from.userId}</strong>
            <Time at={comment.createdAt} />
            <span>{textOf(comment['commentText'])}</span>
          </li>
        ))}
      </ul>
    </article>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const activityColumns: readonly Column<ActivityLog>[] = [
  { title: 'Time', cell: ({ timestamp }) => <Time at={timestamp} /> },
  { title: 'User', cell: ({ actionUser }) => <Identifier value={actionUser.userId} /> },
  { title: 'Feature', cell: ({ featureType }) => featureType },
  { title: 'Action', cell: ({ actionType }) => actionType },
  { title: 'Message', cell: (log) => textOf(log['displayMessage'] ?? log['displayMessageTemplate']) },
];

export function ActivityTab(): ReactNode {
  const { location, pageToken } = useLocation();
  const query = useQuery(activityQuery(useKeyOfPage(), location, pageToken));
  return (
    <Queried query={query}>
      {({ data, nextPageToken }) => (
        <div className="stack">
          {data.length === 0 ? (
            <EmptyPage next={nextPageToken}>No activity logs.</EmptyPage>
          ) : (
            <DataTable caption="Activity log" columns={activityColumns} rows={data} id={({ id }) => id} />
          )}
          <Pager next={nextPageToken} />
        </div>
      )}
    </Queried>
  );
}

const notificationColumns: readonly Column<Notification>[] = [
  { title: 'Time', cell: ({ timestamp }) => <Time at={timestamp} /> },
  { title: 'Id', cell: ({ id }) => <Identifier value={id} /> },
  { title: 'Caused by', cell: ({ actionUser }) => <Identifier value={actionUser.userId} /> },
  { title: 'Source', cell: ({ notificationSource }) => notificationSource },
  { title: 'Message', cell: ({ displayBodyMessage }) => displayBodyMessage },
  { title: 'Recipients', cell: ({ notifyUsersCount }) => notifyUsersCount, number: true },
];

export function NotificationsTab(): ReactNode {
  const { location, pageToken } = useLocation();
  const query = useQuery(notificationsQuery(useKeyOfPage(), location, pageToken));
  return (
    <Queried query={query}>
      {({ data, nextPageToken }) => (
        <div className="stack">
          {data.length === 0 ? (
            <EmptyPage next={nextPageToken}>No notifications.</EmptyPage>
          ) : (
            <DataTable
              caption="Notifications"
              columns={notificationColumns}
              rows={data}
              id={({ id }) => id}
            />
          )}
          <Pager next={nextPageToken} />
        </div>
      )}
    </Queried>
  );
}
