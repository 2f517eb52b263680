import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Document } from '@steward/client';
import { Crumbs } from '../../elements/crumbs.tsx';
import { DataTable, type Column } from '../../elements/data-table.tsx';
import { FindForm, maxPrefixLength } from '../../elements/find-form.tsx';
import { Identifier } from '../../elements/identifier.tsx';
import { EmptyPage, Pager } from '../../elements/pager.tsx';
import { PageTitle } from '../../elements/page-title.tsx';
import { Queried } from '../../elements/states.tsx';
import { Status } from '../../elements/status.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { FolderTree } from './folder-tree.tsx';
import { documentsQuery, organizationQuery } from './queries.ts';

const route = getRouteApi('/keys/$keyId/organization');

export function OrganizationView(): ReactNode {
  const key = useKeyOfPage();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { organizationId, folderId, find } = search;
  const organization = useQuery(organizationQuery(key, organizationId));
  const name = organization.data?.organizationName;
  return (
    <div className="page">
      <Crumbs>
        <Link to="/keys/$keyId/organizations" params={{ keyId: key.keyId }}>
          Organizations
        </Link>
        {organizationId}
        {folderId}
      </Crumbs>
      <div className="heading">
        <PageTitle>{name === undefined || name === '' ? organizationId : name}</PageTitle>
        <FindForm
          label="Document id or name begins with"
          maxLength={maxPrefixLength}
          value={find}
          find={(found) => void navigate({ search: { organizationId, folderId, find: found } })}
        />
      </div>
      <p className="heading-facts">
        <Identifier value={organizationId} />
        {organization.data?.disabled === true && <Status tone="warn">Disabled</Status>}
        {organization.data === null && <Status tone="bad">Does not exist</Status>}
      </p>
      <div className="with-tree">
        <FolderTree of={key} organizationId={organizationId} selected={folderId} />
        <Documents />
      </div>
    </div>
  );
}

function Documents(): ReactNode {
  const key = useKeyOfPage();
  const search = route.useSearch();
  const query = useQuery(documentsQuery(key, search));
  const columns: readonly Column<Document>[] = [
    {
      title: 'Document',
      cell: ({ id, documentName }) => (
        <Link
          to="/keys/$keyId/document"
          params={{ keyId: key.keyId }}
          search={{ organizationId: search.organizationId, documentId: id }}
        >
          {documentName === '' ? id : documentName}
        </Link>
      ),
    },
    { title: 'Id', cell: ({ id }) => <Identifier value={id} /> },
    { title: 'Access', cell: ({ accessType, inheritAccess }) => accessText(accessType, inheritAccess) },
    {
      title: 'State',
      cell: ({ disabled }) =>
        disabled ? <Status tone="warn">Disabled</Status> : <Status tone="good">Enabled</Status>,
    },
  ];
  return (
    <div className="stack">
      <Queried query={query}>
        {({ data, nextPageToken }) => (
          <>
            {data.length === 0 ? (
              <EmptyPage next={nextPageToken}>
                {search.find === undefined ? 'No documents here.' : 'No document matches.'}
              </EmptyPage>
            ) : (
              <DataTable caption="Documents" columns={columns} rows={data} id={({ id }) => id} />
            )}
            <Pager next={nextPageToken} />
          </>
        )}
      </Queried>
    </div>
  );
}

const accessText = (accessType: string, inherited: boolean): string =>
  inherited ? `${accessType} (inherited)` : accessType;
