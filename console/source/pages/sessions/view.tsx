import { useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { revokeSession, sessionsQuery, type ListedSession } from '../../session/session.ts';
import { useAct } from '../../elements/act.ts';
import { Button } from '../../elements/button.tsx';
import { DataTable, type Column } from '../../elements/data-table.tsx';
import { ConfirmDialog } from '../../elements/dialogs.tsx';
import { PageTitle } from '../../elements/page-title.tsx';
import { Queried } from '../../elements/states.tsx';
import { Status } from '../../elements/status.tsx';
import { Time } from '../../elements/time.tsx';

/** Sessions that were opened with the token of this session. */
export function SessionsView(): ReactNode {
  const query = useQuery(sessionsQuery);
  const [revoking, setRevoking] = useState<string>();
  const { mutation, run } = useAct(revokeSession, {
    refreshes: [['sessions'], ['session']],
    onSuccess: () => setRevoking(undefined),
  });
  const columns: readonly Column<ListedSession>[] = [
    {
      title: 'Browser',
      cell: ({ userAgent, current }) => (
        <>
          {userAgent ?? 'Unknown'} {current && <Status tone="good">This session</Status>}
        </>
      ),
    },
    { title: 'Signed in', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
    { title: 'Ends', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    {
      title: 'Actions',
      cell: ({ id }) => (
        <Button look="small danger" onPress={() => setRevoking(id)}>
          Revoke …
        </Button>
      ),
    },
  ];
  return (
    <div className="page">
      <PageTitle>Sessions</PageTitle>
      <p className="quiet">Sessions that were opened with the same token as this one.</p>
      <Queried query={query}>
        {(sessions) => <DataTable caption="Sessions" columns={columns} rows={sessions} id={({ id }) => id} />}
      </Queried>
      {revoking !== undefined && (
        <ConfirmDialog
          title="Revoke 1 session"
          action="Revoke the session"
          pending={mutation.isPending}
          error={mutation.error}
          confirm={() => run(revoking)}
          close={() => setRevoking(undefined)}
        >
          <p>The session ends at once. Its user must sign in again.</p>
        </ConfirmDialog>
      )}
    </div>
  );
}
