import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { AuditEntry } from '@steward/client';
import { useAct } from '../../elements/act.ts';
import { Button } from '../../elements/button.tsx';
import { DataTable, type Column } from '../../elements/data-table.tsx';
import { download } from '../../elements/download.ts';
import { Identifier } from '../../elements/identifier.tsx';
import { JsonBlock } from '../../elements/json-block.tsx';
import { PageTitle } from '../../elements/page-title.tsx';
import { EmptyPage, Pager } from '../../elements/pager.tsx';
import { Failure, Queried } from '../../elements/states.tsx';
import { Status } from '../../elements/status.tsx';
import { Time } from '../../elements/time.tsx';
import { useSession } from '../../shell/session-of-page.ts';
import { AuditFilters } from './audit-filters.tsx';
import { auditLogQuery, exportAuditLog } from './queries.ts';

const route = getRouteApi('/audit-log');

const columns: readonly Column<AuditEntry>[] = [
  { title: 'Time', cell: ({ at }) => <Time at={at} /> },
  { title: 'Action', cell: ({ action }) => action },
  {
    title: 'Outcome',
    cell: ({ outcome }) => <Status tone={outcome === 'succeeded' ? 'good' : 'bad'}>{outcome}</Status>,
  },
  {
    title: 'Actor',
    cell: ({ actorKind, actor }) => (
      <>
        {actorKind} {actor !== null && <Identifier value={actor} />}
      </>
    ),
  },
  { title: 'Target', cell: ({ target }) => (target === null ? '–' : <Identifier value={target} />) },
  { title: 'Address', cell: ({ address }) => address ?? '–' },
  {
    title: 'Request',
    cell: ({ requestId }) => (requestId === null ? '–' : <Identifier value={requestId} />),
  },
  { title: 'Change', cell: (entry) => <Change entry={entry} /> },
];

export function AuditLogView(): ReactNode {
  const { kind } = useSession();
  const search = route.useSearch();
  const query = useQuery(auditLogQuery(kind, search));
  const { mutation, run } = useAct(() => exportAuditLog(kind, search), {
    onSuccess: (parts) => download('audit-log.csv', 'text/csv', parts),
  });
  return (
    <div className="page">
      <div className="heading">
        <PageTitle>Audit log</PageTitle>
        <Button isPending={mutation.isPending} onPress={() => run(undefined)}>
          Export as CSV
        </Button>
      </div>
      {mutation.isError && <Failure error={mutation.error} />}
      <AuditFilters />
      <Queried query={query}>
        {({ data, nextPageToken }) => (
          <>
            {data.length === 0 ? (
              <EmptyPage next={nextPageToken}>No entries match.</EmptyPage>
            ) : (
              <DataTable caption="Audit log" columns={columns} rows={data} id={({ id }) => id} />
            )}
            <Pager next={nextPageToken} />
          </>
        )}
      </Queried>
    </div>
  );
}

function Change({ entry: { before, after } }: { readonly entry: AuditEntry }): ReactNode {
  if (before === null && after === null) return '–';
  return (
    <details>
      <summary>Before and after</summary>
      <div className="columns">
        <JsonBlock value={before} label="Before" />
        <JsonBlock value={after} label="After" />
      </div>
    </details>
  );
}
