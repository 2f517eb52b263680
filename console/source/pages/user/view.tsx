import type { ReactNode } from 'react';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Crumbs } from '../../elements/crumbs.tsx';
import { FindForm } from '../../elements/find-form.tsx';
import { Identifier } from '../../elements/identifier.tsx';
import { PageTitle } from '../../elements/page-title.tsx';
import { Empty } from '../../elements/states.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { DeletionTab } from './deletion-tab.tsx';
import { ExportTab } from './export-tab.tsx';
import { MembershipsTab } from './memberships-tab.tsx';
import { PreferencesTab } from './preferences-tab.tsx';
import { userAccessQuery, type UserAccess } from './queries.ts';
import type { UserTab } from './user-search.ts';

const route = getRouteApi('/keys/$keyId/user');

const titles: Readonly<Record<UserTab, string>> = {
  access: 'Memberships and access',
  preferences: 'Notification preferences',
  export: 'Export',
  deletion: 'Deletion',
};

export function UserView(): ReactNode {
  const { keyId } = useKeyOfPage();
  const search = route.useSearch();
  const { userId, tab = 'access' } = search;
  const access = useUserAccess();
  return (
    <div className="page">
      <Crumbs>
        <Link to="/keys/$keyId/users" params={{ keyId }} search={{ organizationId: search.organizationId }}>
          Users
        </Link>
        {userId}
      </Crumbs>
      <PageTitle>{userId}</PageTitle>
      <p className="heading-facts">
        <Identifier value={userId} />
      </p>
      <nav className="tabs" aria-label="User sections">
        {Object.entries(titles).map(([name, title]) => (
          <Link
            key={name}
            to="/keys/$keyId/user"
            params={{ keyId }}
            search={{ ...search, pageToken: undefined, tab: name as UserTab }}
            aria-current={name === tab ? 'page' : undefined}
            activeProps={{}}
          >
            {title}
          </Link>
        ))}
      </nav>
      {tab === 'deletion' ? <DeletionTab key={userId} /> : <InOrganization tab={tab} access={access} />}
    </div>
  );
}

/** Reads the access of the user, for its tab. The other tabs keep it, so that a return to it reads nothing. */
function useUserAccess() {
  const { organizationId = '', userId, pageToken, tab = 'access' } = route.useSearch();
  return useQuery({
    ...userAccessQuery(useKeyOfPage(), { organizationId, userId, pageToken }),
    enabled: tab === 'access' && organizationId !== '',
  });
}

function InOrganization({
  tab,
  access,
}: {
  readonly tab: Exclude<UserTab, 'deletion'>;
  readonly access: UseQueryResult<UserAccess>;
}): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { organizationId, userId } = search;
  return (
    <>
      <FindForm
        label="Organization id"
        value={organizationId}
        find={(found) =>
          void navigate({ search: { ...search, pageToken: undefined, organizationId: found } })
        }
      />
      {organizationId === undefined ? (
        <Empty>Enter an organization’s id: memberships, preferences and exports are per organization.</Empty>
      ) : (
        <>
          {tab === 'access' && <MembershipsTab query={access} />}
          {tab === 'preferences' && <PreferencesTab organizationId={organizationId} userId={userId} />}
          {tab === 'export' && <ExportTab organizationId={organizationId} userId={userId} />}
        </>
      )}
    </>
  );
}
