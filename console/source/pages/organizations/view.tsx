import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Organization } from '@steward/client';
import { DataTable, type Column } from '../../elements/data-table.tsx';
import { FindForm, maxPrefixLength } from '../../elements/find-form.tsx';
import { Identifier } from '../../elements/identifier.tsx';
import { EmptyPage, Pager } from '../../elements/pager.tsx';
import { PageTitle } from '../../elements/page-title.tsx';
import { Queried } from '../../elements/states.tsx';
import { Status } from '../../elements/status.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { organizationsQuery } from './queries.ts';

const route = getRouteApi('/keys/$keyId/organizations');

export function OrganizationsView(): ReactNode {
  const key = useKeyOfPage();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(organizationsQuery(key, search));
  const columns: readonly Column<Organization>[] = [
    {
      title: 'Name',
      cell: ({ id, organizationName }) => (
        <Link to="/keys/$keyId/organization" params={{ keyId: key.keyId }} search={{ organizationId: id }}>
          {organizationName === '' ? id : organizationName}
        </Link>
      ),
    },
    { title: 'Id', cell: ({ id }) => <Identifier value={id} /> },
    {
      title: 'State',
      cell: ({ disabled }) =>
        disabled ? <Status tone="warn">Disabled</Status> : <Status tone="good">Enabled</Status>,
    },
  ];
  return (
    <div className="page">
      <div className="heading">
        <PageTitle>Organizations</PageTitle>
        <FindForm
          label="Id or name begins with"
          maxLength={maxPrefixLength}
          value={search.find}
          find={(find) => void navigate({ search: { find } })}
        />
      </div>
      <Queried query={query}>
        {({ data, nextPageToken }) => (
          <>
            {data.length === 0 ? (
              <EmptyPage next={nextPageToken}>
                {search.find === undefined
                  ? 'This API key has no organizations yet.'
                  : 'No organization matches.'}
              </EmptyPage>
            ) : (
              <DataTable caption="Organizations" columns={columns} rows={data} id={({ id }) => id} />
            )}
            <Pager next={nextPageToken} />
          </>
        )}
      </Queried>
    </div>
  );
}
