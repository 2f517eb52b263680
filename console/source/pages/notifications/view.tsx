import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { PageTitle } from '../../elements/page-title.tsx';
import { EmptyPage, Pager } from '../../elements/pager.tsx';
import { Empty, Queried } from '../../elements/states.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { DeliveriesTable } from './deliveries-table.tsx';
import { DeliveryFilters } from './delivery-filters.tsx';
import { ExplainTab } from './explain-tab.tsx';
import { notificationsTabs, type NotificationsSearch } from './filters.ts';
import { deliveriesQuery } from './queries.ts';

const route = getRouteApi('/keys/$keyId/notifications');

const titles = { deliveries: 'Deliveries', explain: 'Explain' } as const;

export function NotificationsView(): ReactNode {
  const { keyId } = useKeyOfPage();
  const { tab = 'deliveries', organizationId, userId, notificationId } = route.useSearch();
  return (
    <div className="page">
      <PageTitle>Notifications</PageTitle>
      <nav className="tabs" aria-label="Notification sections">
        {notificationsTabs.map((name) => (
          <Link
            key={name}
            to="/keys/$keyId/notifications"
            params={{ keyId }}
            search={{ tab: name, organizationId, userId, notificationId }}
            aria-current={name === tab ? 'page' : undefined}
            activeProps={{}}
          >
            {titles[name]}
          </Link>
        ))}
      </nav>
      {tab === 'deliveries' ? <DeliveriesTab /> : <ExplainTab />}
    </div>
  );
}

function DeliveriesTab(): ReactNode {
  const { tab: _, organizationId, ...search } = route.useSearch();
  return (
    <>
      <DeliveryFilters />
      {organizationId === undefined ? (
        <Empty>Choose an organization to list its deliveries by e-mail and Slack.</Empty>
      ) : (
        <Deliveries search={{ ...search, organizationId }} />
      )}
    </>
  );
}

function Deliveries({
  search,
}: {
  readonly search: NotificationsSearch & { readonly organizationId: string };
}): ReactNode {
  const query = useQuery(deliveriesQuery(useKeyOfPage(), search));
  return (
    <Queried query={query}>
      {({ data, nextPageToken }) => (
        <>
          {data.length === 0 ? (
            <EmptyPage next={nextPageToken}>No deliveries of the last 30 days match.</EmptyPage>
          ) : (
            <DeliveriesTable deliveries={data} />
          )}
          <Pager next={nextPageToken} />
        </>
      )}
    </Queried>
  );
}
