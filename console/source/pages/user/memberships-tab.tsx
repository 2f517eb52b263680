import type { ReactNode } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { UserData } from '@steward/client';
import { Button } from '../../elements/button.tsx';
import { DataTable, type Column } from '../../elements/data-table.tsx';
import { Facts } from '../../elements/facts.tsx';
import { Identifier } from '../../elements/identifier.tsx';
import { Pager } from '../../elements/pager.tsx';
import { Empty, Queried } from '../../elements/states.tsx';
import { GrantExpiry, Time } from '../../elements/time.tsx';
import type { UserAccess } from './queries.ts';

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

export function MembershipsTab({ query }: { readonly query: UseQueryResult<UserAccess> }): ReactNode {
  return (
    <Queried query={query}>
      {({ user, memberships, permissions, userGroups, next }) => (
        <div className="stack">
          <div className="heading">
            <p className="quiet">
              Read <Time at={query.dataUpdatedAt} />. The audit log records each read as an export.
            </p>
            <Button look="small" isPending={query.isFetching} onPress={() => void query.refetch()}>
              Read again
            </Button>
          </div>
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
          {next !== undefined && (
            <p className="quiet">
              This page has at most 100 of each kind. Pages follow for all data of the user, so later ones may
              have none of these.
            </p>
          )}
          <Pager next={next} />
        </div>
      )}
    </Queried>
  );
}
