import { useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { OperatorKey } from '@steward/client';
import { operatorClient } from '../../session/clients.ts';
import { useAct } from '../../elements/act.ts';
import { Button } from '../../elements/button.tsx';
import { DataTable, type Column } from '../../elements/data-table.tsx';
import { Identifier } from '../../elements/identifier.tsx';
import { PageTitle } from '../../elements/page-title.tsx';
import { EmptyPage, Pager } from '../../elements/pager.tsx';
import { Queried } from '../../elements/states.tsx';
import { Status } from '../../elements/status.tsx';
import { Time } from '../../elements/time.tsx';
import { typedName } from '../../elements/visible-text.ts';
import { useSession } from '../../shell/session-of-page.ts';
import { DisableDialog } from './disable-dialog.tsx';
import { operatorKeysQuery } from './queries.ts';

const route = getRouteApi('/api-keys');

/** Keys of all workspaces. */
export function OperatorKeys(): ReactNode {
  const { actsForKeys } = useSession();
  const { pageToken } = route.useSearch();
  const query = useQuery(operatorKeysQuery(pageToken));
  const columns: readonly Column<OperatorKey>[] = [
    {
      title: 'Name',
      cell: ({ keyId, name }) =>
        actsForKeys ? (
          <Link to="/keys/$keyId/jobs" params={{ keyId }}>
            {name}
          </Link>
        ) : (
          name
        ),
    },
    { title: 'Public id', cell: ({ keyId }) => <Identifier value={keyId} /> },
    { title: 'Workspace', cell: ({ workspaceId }) => <Identifier value={workspaceId} /> },
    { title: 'Type', cell: ({ type }) => type },
    { title: 'State', cell: (key) => <State apiKey={key} /> },
    { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: 'Actions', cell: (key) => <KeyActs apiKey={key} /> },
  ];
  return (
    <>
      <PageTitle>API keys</PageTitle>
      <Queried query={query}>
        {({ data, nextPageToken }) => (
          <>
            {data.length === 0 ? (
              <EmptyPage next={nextPageToken}>This deployment has no API keys.</EmptyPage>
            ) : (
              <DataTable caption="API keys" columns={columns} rows={data} id={({ keyId }) => keyId} />
            )}
            <Pager next={nextPageToken} />
          </>
        )}
      </Queried>
    </>
  );
}

function State({ apiKey: { disabledAt, workspaceDisabledAt } }: { readonly apiKey: OperatorKey }): ReactNode {
  if (workspaceDisabledAt !== null) return <Status tone="bad">Workspace disabled</Status>;
  return disabledAt === null ? <Status tone="good">Enabled</Status> : <Status tone="bad">Disabled</Status>;
}

function KeyActs({ apiKey }: { readonly apiKey: OperatorKey }): ReactNode {
  // As it was then: a refresh must not change what is confirmed.
  const [opened, setOpened] = useState<OperatorKey>();
  return (
    <>
      <Button look="small" onPress={() => setOpened(apiKey)}>
        {apiKey.disabledAt === null ? 'Disable …' : 'Enable …'}
      </Button>
      {opened !== undefined && <Disable apiKey={opened} close={() => setOpened(undefined)} />}
    </>
  );
}

function Disable({
  apiKey: { keyId, name, disabledAt },
  close,
}: {
  readonly apiKey: OperatorKey;
  readonly close: () => void;
}): ReactNode {
  const disables = disabledAt === null;
  const { keys } = operatorClient.operator;
  const { mutation, run } = useAct(
    async (data: { readonly keyId: string }, options) => {
      await (disables ? keys.disable(data, options) : keys.enable(data, options));
    },
    { refreshes: [['operator'], ['session']], onSuccess: close },
  );
  return (
    <DisableDialog
      typed={typedName(name, keyId)}
      disables={disables}
      mutation={mutation}
      confirm={() => run({ keyId })}
      close={close}
    />
  );
}
