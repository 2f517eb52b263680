import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { PageTitle } from '../../elements/page-title.tsx';
import { Pager } from '../../elements/pager.tsx';
import { Empty, Queried } from '../../elements/states.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { DeliveriesTable } from './deliveries-table.tsx';
import { DeliveryFilters } from './delivery-filters.tsx';
import type { NotificationsSearch } from './filters.ts';
import { deliveriesQuery } from './queries.ts';

const route = getRouteApi('/keys/$keyId/notifications');

export function NotificationsView(): ReactNode {
  const { organizationId, ...search } = route.useSearch();
  return (
    <div className="page">
      <PageTitle>Notifications</PageTitle>
      <DeliveryFilters />
      {organizationId === undefined ? (
        <Empty>Choose an organization to list its deliveries by e-mail and Slack.</Empty>
      ) : (
        <Deliveries search={{ ...search, organizationId }} />
      )}
    </div>
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
            <Empty>No deliveries of the last 30 days match.</Empty>
          ) : (
            <DeliveriesTable deliveries={data} />
          )}
          <Pager next={nextPageToken} />
        </>
      )}
    </Queried>
  );
}
