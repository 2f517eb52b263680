import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { PageTitle } from '../../elements/page-title.tsx';
import { Queried } from '../../elements/states.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { JobFilters, JobsTable } from './jobs-table.tsx';
import { jobsQuery } from './queries.ts';

const route = getRouteApi('/keys/$keyId/jobs');

export function JobsView(): ReactNode {
  const key = useKeyOfPage();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(jobsQuery(key, search));
  return (
    <div className="page">
      <PageTitle>Jobs</PageTitle>
      <JobFilters search={search} change={(changed) => void navigate({ search: changed })} />
      <Queried query={query}>
        {({ data, nextPageToken }) => <JobsTable jobs={data} next={nextPageToken} keyOf={() => key.keyId} />}
      </Queried>
    </div>
  );
}
