import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { CollaborativeDataSummary } from '@steward/client';
import { DataTable, type Column } from '../../elements/data-table.tsx';
import { Identifier } from '../../elements/identifier.tsx';
import { JsonBlock } from '../../elements/json-block.tsx';
import { EmptyPage, Pager } from '../../elements/pager.tsx';
import { Empty, Queried } from '../../elements/states.tsx';
import { Time } from '../../elements/time.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { contentQuery, editorsQuery, type DocumentLocation } from './queries.ts';

const route = getRouteApi('/keys/$keyId/document');

/** The editors of a document with type, size and version, and the content of the one that the URL names. */
export function DataTab(): ReactNode {
  const key = useKeyOfPage();
  const { organizationId, documentId, pageToken, editorId } = route.useSearch();
  const location = { organizationId, documentId };
  const query = useQuery(editorsQuery(key, location, pageToken));
  const columns: readonly Column<CollaborativeDataSummary>[] = [
    {
      title: 'Editor',
      cell: ({ id }) => (
        <Identifier value={id}>
          <Link
            to="/keys/$keyId/document"
            params={{ keyId: key.keyId }}
            search={{ ...location, tab: 'data', pageToken, editorId: id }}
            aria-current={id === editorId ? 'true' : undefined}
            activeProps={{}}
          >
            {id}
          </Link>
        </Identifier>
      ),
    },
    { title: 'Type', cell: ({ type }) => type },
    { title: 'Size as JSON', cell: ({ contentBytes }) => sizeText(contentBytes), number: true },
    { title: 'Version', cell: ({ version }) => counted.format(version), number: true },
    { title: 'Changed', cell: ({ lastUpdate }) => <Time at={lastUpdate} /> },
    {
      title: 'Changed by',
      cell: ({ lastUpdatedBy }) => (lastUpdatedBy === '' ? 'Unknown' : <Identifier value={lastUpdatedBy} />),
    },
  ];
  return (
    <div className="stack">
      <Queried query={query}>
        {({ data, nextPageToken }) => (
          <>
            {data.length === 0 ? (
              <EmptyPage next={nextPageToken}>No collaborative data.</EmptyPage>
            ) : (
              <DataTable caption="Collaborative data" columns={columns} rows={data} id={({ id }) => id} />
            )}
            <Pager next={nextPageToken} />
          </>
        )}
      </Queried>
      {editorId === undefined ? (
        query.data !== undefined &&
        query.data.data.length > 0 && <p className="quiet">Choose an editor to read its content.</p>
      ) : (
        <Content location={location} editorId={editorId} />
      )}
    </div>
  );
}

const counted = new Intl.NumberFormat('en');

const sizeText = (bytes: number | null): string =>
  bytes === null ? 'Not known yet' : `${counted.format(bytes)} bytes`;

function Content({
  location,
  editorId,
}: {
  readonly location: DocumentLocation;
  readonly editorId: string;
}): ReactNode {
  const query = useQuery(contentQuery(useKeyOfPage(), location, editorId));
  return (
    <section className="panel" aria-label="Content">
      <h2>Content of {editorId}</h2>
      <Queried query={query}>
        {(record) =>
          record === null ? (
            <Empty>This editor has no content.</Empty>
          ) : (
            <JsonBlock value={record.data} label={`Data of ${editorId}`} />
          )
        }
      </Queried>
    </section>
  );
}
