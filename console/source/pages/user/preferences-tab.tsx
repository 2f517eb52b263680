import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { DataTable } from '../../elements/data-table.tsx';
import { Identifier } from '../../elements/identifier.tsx';
import { Empty, Queried } from '../../elements/states.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { preferencesQuery } from './queries.ts';

export function PreferencesTab({
  organizationId,
  userId,
}: {
  readonly organizationId: string;
  readonly userId: string;
}): ReactNode {
  const query = useQuery(preferencesQuery(useKeyOfPage(), organizationId, userId));
  return (
    <Queried query={query}>
      {(preferences) =>
        preferences.length === 0 ? (
          <Empty>No preferences: the defaults apply.</Empty>
        ) : (
          <DataTable
            caption="Notification preferences"
            rows={preferences}
            id={({ metadata }) => metadata.documentId ?? ''}
            columns={[
              {
                title: 'Document',
                cell: ({ metadata: { documentId } }) =>
                  documentId === null ? 'Whole organization' : <Identifier value={documentId} />,
              },
              { title: 'Inbox', cell: ({ config }) => config.inbox },
              { title: 'E-mail', cell: ({ config }) => config.email },
              { title: 'Slack', cell: ({ config }) => config.slack },
              { title: 'Set on', cell: ({ source }) => source },
            ]}
          />
        )
      }
    </Queried>
  );
}
