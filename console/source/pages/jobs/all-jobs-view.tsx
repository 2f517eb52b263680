import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Identifier } from '../../elements/identifier.tsx';
import { PageTitle } from '../../elements/page-title.tsx';
import { Queried } from '../../elements/states.tsx';
import { useSession } from '../../shell/session-of-page.ts';
import { JobFilters, JobsTable } from './jobs-table.tsx';
import { allJobsQuery } from './queries.ts';

const route = getRouteApi('/jobs');

export function AllJobsView(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { kind } = useSession();
  const query = useQuery(allJobsQuery(kind, search));
  return (
    <div className="page">
      <PageTitle>All jobs</PageTitle>
      <JobFilters search={search} change={(changed) => void navigate({ search: changed })} />
      <Queried query={query}>
        {({ data, nextPageToken }) => (
          <JobsTable
            jobs={data}
            next={nextPageToken}
            keyOf={({ keyId }) => keyId}
            extra={[
              {
                title: 'API key',
                cell: ({ keyId }) => (keyId === null ? 'Deleted' : <Identifier value={keyId} />),
              },
            ]}
          />
        )}
      </Queried>
    </div>
  );
}
