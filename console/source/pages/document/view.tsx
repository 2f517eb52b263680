import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Crumbs } from '../../elements/crumbs.tsx';
import { Identifier } from '../../elements/identifier.tsx';
import { PageTitle } from '../../elements/page-title.tsx';
import { Queried } from '../../elements/states.tsx';
import { Status } from '../../elements/status.tsx';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { AccessTab } from './access-tab.tsx';
import { DataTab } from './data-tab.tsx';
import { EventsTab } from './events-tab.tsx';
import { MigrationTab } from './migration-tab.tsx';
import { documentQuery, type DocumentLocation } from './queries.ts';
import { ActivityTab, NotificationsTab, ThreadsTab } from './record-tabs.tsx';
import type { DocumentTab } from './tabs.ts';

const route = getRouteApi('/keys/$keyId/document');

const tabs: Readonly<Record<DocumentTab, { readonly title: string; readonly view: () => ReactNode }>> = {
  access: { title: 'Access', view: AccessTab },
  threads: { title: 'Threads', view: ThreadsTab },
  activity: { title: 'Activity log', view: ActivityTab },
  data: { title: 'Collaborative data', view: DataTab },
  notifications: { title: 'Notifications', view: NotificationsTab },
  events: { title: 'Webhook events', view: EventsTab },
  migration: { title: 'Migration', view: MigrationTab },
};

export function DocumentView(): ReactNode {
  const key = useKeyOfPage();
  const { organizationId, documentId, tab = 'access' } = route.useSearch();
  const location: DocumentLocation = { organizationId, documentId };
  const query = useQuery(documentQuery(key, location));
  const name = query.data?.documentName ?? '';
  const View = tabs[tab].view;
  return (
    <div className="page">
      <Crumbs>
        <Link to="/keys/$keyId/organizations" params={{ keyId: key.keyId }}>
          Organizations
        </Link>
        <Link to="/keys/$keyId/organization" params={{ keyId: key.keyId }} search={{ organizationId }}>
          {organizationId}
        </Link>
        {documentId}
      </Crumbs>
      <PageTitle>{name === '' ? documentId : name}</PageTitle>
      <Queried query={query}>
        {(document) => (
          <p className="heading-facts">
            <Identifier value={documentId} />
            {document === null && <Status tone="bad">Does not exist</Status>}
            {document?.disabled === true && <Status tone="warn">Disabled</Status>}
            {document !== null && (
              <span className="quiet">
                {document.accessType}
                {document.inheritAccess && ' (inherited)'}, folder {document.folderId}
              </span>
            )}
          </p>
        )}
      </Queried>
      <nav className="tabs" aria-label="Document sections">
        {Object.entries(tabs).map(([name, { title }]) => (
          <Link
            key={name}
            to="/keys/$keyId/document"
            params={{ keyId: key.keyId }}
            search={{ ...location, tab: name as DocumentTab }}
            aria-current={name === tab ? 'page' : undefined}
            activeProps={{}}
          >
            {title}
          </Link>
        ))}
      </nav>
      <View key={tab} />
    </div>
  );
}
