import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { User } from '@steward/client';
import { Button } from '../../elements/button.tsx';
import { DataTable, type Column } from '../../elements/data-table.tsx';
import { TextField } from '../../elements/field.tsx';
import { FindForm, maxPrefixLength } from '../../elements/find-form.tsx';
import { useFollowingForm } from '../../elements/following-form.ts';
import { formText, trimmedText } from '../../elements/form-text.ts';
import { Identifier } from '../../elements/identifier.tsx';
import { OrganizationField } from '../../elements/organization-field.tsx';
import { PageTitle } from '../../elements/page-title.tsx';
import { EmptyPage, Pager } from '../../elements/pager.tsx';
import { Empty, Queried } from '../../elements/states.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { FoundUsers } from './found-users.tsx';
import { usersQuery } from './queries.ts';

const route = getRouteApi('/keys/$keyId/users');

export function UsersView(): ReactNode {
  const { prefix, organizationId, find, pageToken } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <div className="page">
      <div className="heading">
        <PageTitle>Users</PageTitle>
        <OpenUser />
      </div>
      <FindForm
        label="Id, e-mail or name begins with"
        maxLength={maxPrefixLength}
        action="Search all organizations"
        value={prefix}
        find={(text) => void navigate({ search: { prefix: text } })}
      />
      <Filters />
      {prefix !== undefined ? (
        <FoundUsers prefix={prefix} pageToken={pageToken} />
      ) : organizationId === undefined ? (
        <Empty>Search all organizations, choose one to list its users, or open a user by id.</Empty>
      ) : (
        <Users organizationId={organizationId} find={find} pageToken={pageToken} />
      )}
    </div>
  );
}

/** Opens a user by id, because a user may have no membership. */
function OpenUser(): ReactNode {
  const navigate = route.useNavigate();
  const { organizationId } = route.useSearch();
  const { keyId } = useKeyOfPage();
  return (
    <form
      className="filters"
      onSubmit={(event) => {
        event.preventDefault();
        const userId = formText(event.currentTarget, 'userId');
        void navigate({ to: '/keys/$keyId/user', params: { keyId }, search: { userId, organizationId } });
      }}
    >
      <TextField name="userId" label="User id" required />
      <Button type="submit">Open</Button>
    </form>
  );
}

function Filters(): ReactNode {
  const { organizationId, find } = route.useSearch();
  const navigate = route.useNavigate();
  const ref = useFollowingForm();
  return (
    <search aria-label="Users of an organization">
      <form
        className="filters"
        ref={ref}
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          void navigate({
            search: {
              organizationId: formText(form, 'organizationId') || undefined,
              find: trimmedText(form, 'find') || undefined,
            },
          });
        }}
      >
        <OrganizationField value={organizationId} />
        <TextField name="find" label="Name or e-mail contains" type="search" defaultValue={find} />
        <Button type="submit">Find</Button>
      </form>
    </search>
  );
}

function Users({
  organizationId,
  find,
  pageToken,
}: {
  readonly organizationId: string;
  readonly find: string | undefined;
  readonly pageToken: string | undefined;
}): ReactNode {
  const key = useKeyOfPage();
  const query = useQuery(usersQuery(key, { organizationId, find, pageToken }));
  const columns: readonly Column<User>[] = [
    {
      title: 'Name',
      cell: ({ userId, name }) => (
        <Link to="/keys/$keyId/user" params={{ keyId: key.keyId }} search={{ userId, organizationId }}>
          {name === '' ? userId : name}
        </Link>
      ),
    },
    { title: 'Id', cell: ({ userId }) => <Identifier value={userId} /> },
    { title: 'E-mail', cell: ({ email }) => email },
    { title: 'Role', cell: ({ accessRole }) => accessRole ?? '–' },
  ];
  return (
    <Queried query={query}>
      {({ users, next }) => (
        <>
          {users.length === 0 ? (
            <EmptyPage next={next}>No users match.</EmptyPage>
          ) : (
            <DataTable caption="Users" columns={columns} rows={users} id={({ userId }) => userId} />
          )}
          <Pager next={next} />
        </>
      )}
    </Queried>
  );
}
