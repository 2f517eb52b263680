import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { UserData } from '@steward/client';
import { DataTable, type Column } from '../../elements/data-table.tsx';
import { Facts } from '../../elements/facts.tsx';
import { Identifier } from '../../elements/identifier.tsx';
import { Pager } from '../../elements/pager.tsx';
import { Empty, Queried } from '../../elements/states.tsx';
import { GrantExpiry } from '../../elements/time.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { userDataQuery } from './queries.ts';

const route = getRouteApi('/keys/$keyId/user');

const membershipColumns: readonly Column<UserData['memberships'][number]>[] = [
  { title: 'Level', cell: ({ type }) => type },
  { title: 'Id', cell: ({ id }) => <Identifier value={id} /> },
  { title: 'Role', cell: ({ accessRole }) => accessRole ?? '–' },
];

const grantColumns: readonly Column<UserData['permissions'][number]>[] = [
  { title: 'Level', cell: ({ type }) => type },
  { title: 'Id', cell: ({ id }) => <Identifier value={id} /> },
  { title: 'Role', cell: ({ accessRole }) => accessRole },
  { title: 'Expires', cell: ({ expiresAt }) => <GrantExpiry at={expiresAt} /> },
];

const idOf = ({ type, id }: { readonly type: string; readonly id: string }): string => `${type} ${id}`;

export function MembershipsTab({
  organizationId,
  userId,
}: {
  readonly organizationId: string;
  readonly userId: string;
}): ReactNode {
  const { pageToken } = route.useSearch();
  const query = useQuery(userDataQuery(useKeyOfPage(), { organizationId, userId, pageToken }));
  return (
    <Queried query={query}>
      {({ data: { user, memberships, permissions, userGroups }, nextPageToken }) => (
        <div className="stack">
          {user === null && <Empty>This user has no record in the organization.</Empty>}
          {user !== null && user !== undefined && (
            <section className="panel" aria-label="User">
              <Facts facts={{ Name: user.name, 'E-mail': user.email, Role: user.accessRole ?? '–' }} />
            </section>
          )}
          <h2>Memberships</h2>
          {memberships.length === 0 ? (
            <Empty>No memberships on this page.</Empty>
          ) : (
            <DataTable caption="Memberships" columns={membershipColumns} rows={memberships} id={idOf} />
          )}
          <h2>Grants</h2>
          {permissions.length === 0 ? (
            <Empty>No grants on this page.</Empty>
          ) : (
            <DataTable caption="Grants" columns={grantColumns} rows={permissions} id={idOf} />
          )}
          {userGroups.length > 0 && <p>Groups: {userGroups.map(({ groupName }) => groupName).join(', ')}</p>}
          {nextPageToken !== undefined && (
            <p className="quiet">
              This page has at most 100 of each kind. Pages follow for all data of the user, so later ones may
              have none of these.
            </p>
          )}
          <Pager next={nextPageToken} />
        </div>
      )}
    </Queried>
  );
}
