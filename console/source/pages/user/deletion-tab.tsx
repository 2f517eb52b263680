import { useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { UserDataDeletion } from '@steward/client';
import { useAct } from '../../elements/act.ts';
import { Button } from '../../elements/button.tsx';
import { Counts, totalOf } from '../../elements/counts.tsx';
import { ConfirmDialog } from '../../elements/dialogs.tsx';
import { Failure, Queried } from '../../elements/states.tsx';
import { typedName } from '../../elements/visible-text.ts';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { DeletionProgress } from './deletion-progress.tsx';
import { DeletionReceipt } from './deletion-receipt.tsx';
import { deletionQuery } from './queries.ts';

const route = getRouteApi('/keys/$keyId/user');

interface Request {
  readonly userIds: readonly string[];
  readonly dryRun: boolean;
}

/**
 * Starts a dry run, then the deletion. The URL names both jobs and their user, so that a reload continues to watch, and
 * the page of another user shows neither.
 */
export function DeletionTab(): ReactNode {
  const { dryRunId, deletionId } = route.useSearch();
  if (deletionId !== undefined) return <Deletion jobId={deletionId} />;
  return (
    <div className="stack">
      <DryRun />
      {dryRunId !== undefined && <DryRunResult jobId={dryRunId} />}
    </div>
  );
}

/** Starts a deletion or its dry run, and puts the job into the URL. */
function useDeletion() {
  const { keyId, client } = useKeyOfPage();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return useAct((request: Request, options) => client.users.data.delete(request, options), {
    refreshes: [['key', keyId, 'jobs']],
    onSuccess: ({ data: { jobId } }, { userIds: [jobsUserId], dryRun }) =>
      void navigate({
        search: { ...search, jobsUserId, ...(dryRun ? { dryRunId: jobId } : { deletionId: jobId }) },
      }),
  });
}

function DryRun(): ReactNode {
  const { userId, dryRunId } = route.useSearch();
  const { mutation, run } = useDeletion();
  return (
    <section className="panel" aria-label="Dry run">
      <p>
        A deletion removes the data of this user from all organizations of the API key, and proves it by a
        signed receipt. A dry run counts what would be deleted, and deletes nothing.
      </p>
      <div className="actions">
        <Button
          look={dryRunId === undefined ? 'primary' : 'small'}
          isPending={mutation.isPending}
          onPress={() => run({ userIds: [userId], dryRun: true })}
        >
          {dryRunId === undefined ? 'Start a dry run' : 'Repeat the dry run'}
        </Button>
      </div>
      {mutation.isError && <Failure error={mutation.error} />}
    </section>
  );
}

function DryRunResult({ jobId }: { readonly jobId: string }): ReactNode {
  const query = useQuery(deletionQuery(useKeyOfPage(), jobId));
  return (
    <Queried query={query}>
      {(deletion) =>
        deletion.dryRun ? (
          <section className="panel" aria-label="Result of the dry run">
            <h2>Dry run</h2>
            <DeletionProgress deletion={deletion} />
            <Counts counts={deletion.counts} />
            {deletion.status === 'completed' && <ConfirmDeletion dryRun={deletion} />}
          </section>
        ) : (
          <div className="notice warn">This job is no dry run.</div>
        )
      }
    </Queried>
  );
}

function ConfirmDeletion({ dryRun }: { readonly dryRun: UserDataDeletion }): ReactNode {
  const { userId } = route.useSearch();
  const [asking, setAsking] = useState(false);
  const { mutation, run } = useDeletion();
  const records = new Intl.NumberFormat('en').format(totalOf(dryRun.counts));
  return (
    <div className="actions">
      <Button look="danger" onPress={() => setAsking(true)}>
        {`Delete ${records} records of 1 user …`}
      </Button>
      {asking && (
        <ConfirmDialog
          title={`Delete ${records} records of 1 user`}
          action={`Delete ${records} records`}
          typed={typedName(userId, 'delete')}
          pending={mutation.isPending}
          error={mutation.error}
          confirm={() => run({ userIds: [userId], dryRun: false })}
          close={() => setAsking(false)}
        >
          <p>
            The data of <code>{userId}</code> is deleted from all organizations of the API key. This cannot be
            undone.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}

function Deletion({ jobId }: { readonly jobId: string }): ReactNode {
  const { userId } = route.useSearch();
  const query = useQuery(deletionQuery(useKeyOfPage(), jobId));
  return (
    <Queried query={query}>
      {(deletion) =>
        mayCover(deletion, userId) ? (
          <section className="panel" aria-label="Deletion" aria-live="polite">
            <h2>Deletion</h2>
            <DeletionProgress deletion={deletion} />
            <Counts counts={deletion.counts} />
            {deletion.notReached.length > 0 && (
              <div className="notice warn">
                <strong>Not reached by the deletion</strong>
                <ul className="steps">
                  {deletion.notReached.map((text) => (
                    <li key={text}>{text}</li>
                  ))}
                </ul>
              </div>
            )}
            {deletion.receipt !== null && (
              <DeletionReceipt jws={deletion.receipt.jws} pseudonyms={deletion.pseudonyms} />
            )}
          </section>
        ) : (
          <div className="notice warn">This job deletes other users.</div>
        )
      }
    </Queried>
  );
}

/** Whether a deletion may cover the user. Its status lists the users until 90 days after its end. */
const mayCover = ({ pseudonyms }: UserDataDeletion, userId: string): boolean =>
  pseudonyms.length === 0 || pseudonyms.some((pseudonym) => pseudonym.userId === userId);
