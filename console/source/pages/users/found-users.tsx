import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FoundUser } from '@steward/client';
import { DataTable, type Column } from '../../elements/data-table.tsx';
import { Identifier } from '../../elements/identifier.tsx';
import { EmptyPage, Pager } from '../../elements/pager.tsx';
import { Queried } from '../../elements/states.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { foundUsersQuery } from './queries.ts';

/** Users of every organization, each with links to the organizations in which they have access. */
export function FoundUsers({
  prefix,
  pageToken,
}: {
  readonly prefix: string;
  readonly pageToken: string | undefined;
}): ReactNode {
  const key = useKeyOfPage();
  const { keyId } = key;
  const query = useQuery(foundUsersQuery(key, prefix, pageToken));
  const columns: readonly Column<FoundUser>[] = [
    {
      title: 'Name',
      cell: ({ userId, name, organizationIds: [organizationId] }) => (
        <Link to="/keys/$keyId/user" params={{ keyId }} search={{ userId, organizationId }}>
          {name === '' ? userId : name}
        </Link>
      ),
    },
    { title: 'Id', cell: ({ userId }) => <Identifier value={userId} /> },
    { title: 'E-mail', cell: ({ email }) => email },
    { title: 'Organizations', cell: (user) => <Organizations user={user} keyId={keyId} /> },
  ];
  return (
    <Queried query={query}>
      {({ data, nextPageToken }) => (
        <>
          {data.length === 0 ? (
            <EmptyPage next={nextPageToken}>No users match.</EmptyPage>
          ) : (
            <DataTable caption="Users" columns={columns} rows={data} id={({ userId }) => userId} />
          )}
          <Pager next={nextPageToken} />
        </>
      )}
    </Queried>
  );
}

function Organizations({
  user: { userId, organizationIds },
  keyId,
}: {
  readonly user: FoundUser;
  readonly keyId: string;
}): ReactNode {
  if (organizationIds.length === 0) return 'None';
  return (
    <ul className="steps">
      {organizationIds.map((organizationId) => (
        <li key={organizationId}>
          <Link to="/keys/$keyId/user" params={{ keyId }} search={{ userId, organizationId }}>
            {organizationId}
          </Link>
        </li>
      ))}
    </ul>
  );
}
