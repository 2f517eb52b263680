import { useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Button } from '../../elements/button.tsx';
import { DataTable, type Column } from '../../elements/data-table.tsx';
import { Identifier } from '../../elements/identifier.tsx';
import { PageTitle } from '../../elements/page-title.tsx';
import { EmptyPage, Pager } from '../../elements/pager.tsx';
import { Empty, Queried } from '../../elements/states.tsx';
import { Status } from '../../elements/status.tsx';
import { useSession } from '../../shell/session-of-page.ts';
import { CreateKey } from './create-key.tsx';
import { KeyActs } from './key-acts.tsx';
import { OperatorKeys } from './operator-keys.tsx';
import { workspaceKeysQuery, type WorkspaceKey } from './queries.ts';
import { Tokens } from './tokens.tsx';

const route = getRouteApi('/api-keys');

export function ApiKeysView(): ReactNode {
  const { kind } = useSession();
  return <div className="page">{kind === 'operator' ? <OperatorKeys /> : <WorkspaceKeys />}</div>;
}

function WorkspaceKeys(): ReactNode {
  const { pageToken, keyId: shown } = route.useSearch();
  const query = useQuery(workspaceKeysQuery(pageToken));
  const [creating, setCreating] = useState(false);
  const columns: readonly Column<WorkspaceKey>[] = [
    {
      title: 'Name',
      cell: ({ keyId, name }) => (
        <Link to="/keys/$keyId/organizations" params={{ keyId }}>
          {name === '' ? keyId : name}
        </Link>
      ),
    },
    { title: 'Public id', cell: ({ keyId }) => <Identifier value={keyId} /> },
    { title: 'Type', cell: ({ type }) => type },
    { title: 'State', cell: ({ enabled }) => <KeyState enabled={enabled} /> },
    {
      title: 'Actions',
      cell: (key) => <KeyActs apiKey={key} pageToken={pageToken} />,
    },
  ];
  return (
    <>
      <div className="heading">
        <PageTitle>API keys</PageTitle>
        <Button look="primary" onPress={() => setCreating(true)}>
          Create an API key …
        </Button>
      </div>
      <Queried query={query}>
        {({ keys, next }) => (
          <>
            {keys.length === 0 ? (
              <EmptyPage next={next}>This workspace has no API keys.</EmptyPage>
            ) : (
              <DataTable caption="API keys" columns={columns} rows={keys} id={({ keyId }) => keyId} />
            )}
            <Pager next={next} />
            {shown !== undefined && <TokensOf keyId={shown} among={keys} />}
          </>
        )}
      </Queried>
      {creating && <CreateKey close={() => setCreating(false)} />}
    </>
  );
}

function TokensOf({
  keyId: shown,
  among,
}: {
  readonly keyId: string;
  readonly among: readonly WorkspaceKey[];
}): ReactNode {
  const found = among.find(({ keyId }) => keyId === shown);
  if (found === undefined) return <Empty>This page does not list the API key {shown}.</Empty>;
  return <Tokens key={shown} of={found} />;
}

function KeyState({ enabled }: { readonly enabled: boolean }): ReactNode {
  return enabled ? <Status tone="good">Enabled</Status> : <Status tone="warn">Disabled</Status>;
}
