import { useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { DocumentMigration } from '@steward/client';
import { useAct } from '../../elements/act.ts';
import { Button } from '../../elements/button.tsx';
import { Counts } from '../../elements/counts.tsx';
import { ConfirmDialog } from '../../elements/dialogs.tsx';
import { Facts } from '../../elements/facts.tsx';
import { TextField } from '../../elements/field.tsx';
import { Identifier } from '../../elements/identifier.tsx';
import { JobState } from '../../elements/job-state.tsx';
import { Queried } from '../../elements/states.tsx';
import { Status } from '../../elements/status.tsx';
import { durationText, Time } from '../../elements/time.tsx';
import { useKeyOfPage, type KeyOfPage } from '../../shell/key-of-page.ts';
import { migrationQuery } from './queries.ts';

const route = getRouteApi('/keys/$keyId/document');

/** Starts a migration and watches it. The URL names it, so that a reload continues to watch. */
export function MigrationTab(): ReactNode {
  const key = useKeyOfPage();
  const search = route.useSearch();
  return search.migrationId === undefined ? (
    <Start of={key} />
  ) : (
    <Watch of={key} organizationId={search.organizationId} migrationId={search.migrationId} />
  );
}

function Start({ of }: { readonly of: KeyOfPage }): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [newDocumentId, setNewDocumentId] = useState('');
  const [asking, setAsking] = useState(false);
  const { organizationId, documentId } = search;
  const { mutation, run } = useAct(
    (
      data: { readonly organizationId: string; readonly documentId: string; readonly newDocumentId: string },
      options,
    ) => of.client.documents.migrate(data, options),
    {
      refreshes: [['key', of.keyId]],
      onSuccess: ({ data }) => void navigate({ search: { ...search, migrationId: data.migrationId } }),
    },
  );
  return (
    <form
      className="panel"
      onSubmit={(event) => {
        event.preventDefault();
        setAsking(true);
      }}
    >
      <p>
        A migration gives the document another id, with everything below it. Afterwards the document is at its
        new id, and every event names both.
      </p>
      <TextField
        label="New document id"
        value={newDocumentId}
        required
        onChange={({ target }) => setNewDocumentId(target.value)}
      />
      <div className="actions">
        <Button type="submit" look="primary">
          Migrate …
        </Button>
      </div>
      {asking && (
        <ConfirmDialog
          title="Migrate 1 document"
          action="Migrate the document"
          typed={newDocumentId}
          pending={mutation.isPending}
          error={mutation.error}
          confirm={() => run({ organizationId, documentId, newDocumentId })}
          close={() => setAsking(false)}
        >
          <p>
            <code>{documentId}</code> becomes <code>{newDocumentId}</code> in <code>{organizationId}</code>.
          </p>
        </ConfirmDialog>
      )}
    </form>
  );
}

function Watch({
  of,
  organizationId,
  migrationId,
}: {
  readonly of: KeyOfPage;
  readonly organizationId: string;
  readonly migrationId: string;
}): ReactNode {
  const query = useQuery(migrationQuery(of, organizationId, migrationId));
  return (
    <Queried query={query}>
      {(migration) => (
        <section className="panel" aria-label="Migration" aria-live="polite">
          <Facts facts={factsOf(migration)} />
          {migration.counts !== null && <Counts counts={migration.counts} />}
          {migration.status === 'completed' && (
            <p>
              <Link
                to="/keys/$keyId/document"
                params={{ keyId: of.keyId }}
                search={{ organizationId, documentId: migration.newDocumentId }}
              >
                Open the document at its new id
              </Link>
            </p>
          )}
          <p>
            <Link to="/keys/$keyId/job" params={{ keyId: of.keyId }} search={{ jobId: migrationId }}>
              Open the job
            </Link>
          </p>
        </section>
      )}
    </Queried>
  );
}

function factsOf(migration: DocumentMigration): Readonly<Record<string, ReactNode>> {
  const { migrationId, status, documentId, newDocumentId, verified, error } = migration;
  const { acceptedAt, startedAt, completedAt } = migration;
  return {
    Migration: <Identifier value={migrationId} />,
    Status: <JobState status={status} />,
    Verified:
      verified === null ? (
        'Not yet'
      ) : (
        <Status tone={verified ? 'good' : 'bad'}>{verified ? 'Verified' : 'Not verified'}</Status>
      ),
    From: <Identifier value={documentId} />,
    To: <Identifier value={newDocumentId} />,
    Accepted: <Time at={acceptedAt} />,
    Started: <Time at={startedAt} />,
    Completed: <Time at={completedAt} />,
    Duration: completedAt === null ? '–' : durationText(completedAt - acceptedAt),
    Error: error ?? 'None',
  };
}
