import { useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Job } from '@steward/client';
import { operatorClient } from '../../session/clients.ts';
import { useAct } from '../../elements/act.ts';
import { Button } from '../../elements/button.tsx';
import { Crumbs } from '../../elements/crumbs.tsx';
import { ConfirmDialog } from '../../elements/dialogs.tsx';
import { Facts } from '../../elements/facts.tsx';
import { Identifier } from '../../elements/identifier.tsx';
import { JobProgress, JobState } from '../../elements/job-state.tsx';
import { PageTitle } from '../../elements/page-title.tsx';
import { OutsideLink } from '../../elements/outside-link.tsx';
import { Queried } from '../../elements/states.tsx';
import { durationText, Time } from '../../elements/time.tsx';
import { titleOf } from '../../elements/words.ts';
import { useKeyOfPage } from '../../shell/key-of-page.ts';
import { useSession } from '../../shell/session-of-page.ts';
import { jobQuery } from './queries.ts';

const route = getRouteApi('/keys/$keyId/job');

export function JobView(): ReactNode {
  const key = useKeyOfPage();
  const { jobId } = route.useSearch();
  const { kind } = useSession();
  const query = useQuery(jobQuery(key, kind, jobId));
  return (
    <div className="page">
      <Crumbs>
        <Link to="/keys/$keyId/jobs" params={{ keyId: key.keyId }}>
          Jobs
        </Link>
        {jobId}
      </Crumbs>
      <Queried query={query}>
        {(job) => (
          <>
            <div className="heading">
              <PageTitle>{titleOf(job.kind)}</PageTitle>
              <JobActs job={job} />
            </div>
            <section className="panel" aria-label="Job">
              <Facts facts={factsOf(job)} />
            </section>
          </>
        )}
      </Queried>
    </div>
  );
}

function factsOf(job: Job): Readonly<Record<string, ReactNode>> {
  const { jobId, status, late, progress, error, createdAt, startedAt, completedAt } = job;
  return {
    Job: <Identifier value={jobId} />,
    Status: <JobState status={status} late={late} />,
    Progress: <JobProgress {...progress} />,
    Error: error ?? 'None',
    Created: <Time at={createdAt} />,
    Started: <Time at={startedAt} />,
    Completed: <Time at={completedAt} />,
    Duration: completedAt === null ? '–' : durationText(completedAt - createdAt),
    Request: job.requestId === null ? '–' : <Identifier value={job.requestId} />,
    Workflow: <Identifier value={job.workflowId} />,
    'Temporal UI':
      job.workflowUrl === null ? (
        'Not configured'
      ) : (
        <OutsideLink url={job.workflowUrl}>Open the workflow</OutsideLink>
      ),
  };
}

/** Whether the API may cancel the job. It never cancels another kind, or a migration that has begun. */
const isCancelable = ({ kind, status, completedAt }: Job): boolean =>
  completedAt === null &&
  (kind === 'user-data-deletion' || (kind === 'document-migration' && status === 'pending'));

/** Whether the API may retry the job. Failures of other kinds are final. */
const isRetryable = ({ kind, status }: Job): boolean =>
  kind === 'webhook-provisioning' && status === 'failed';

/** Buttons that cancel a job or, for operators, retry a failed provisioning. */
function JobActs({ job }: { readonly job: Job }): ReactNode {
  const { keyId, client } = useKeyOfPage();
  const operator = useSession().kind === 'operator';
  const [asking, setAsking] = useState<'cancel' | 'retry'>();
  const refreshes = [['key', keyId], ['operator']];
  const close = (): void => setAsking(undefined);
  const cancel = useAct(
    async (jobId: string, options) => {
      await (operator
        ? operatorClient.operator.jobs.cancel({ jobId }, options)
        : client.jobs.cancel({ jobId }, options));
    },
    { refreshes, onSuccess: close },
  );
  const retry = useAct(
    async (jobId: string, options) => {
      await operatorClient.operator.jobs.retry({ jobId }, options);
    },
    { refreshes, onSuccess: close },
  );
  const act = asking === 'retry' ? retry : cancel;
  return (
    <div className="actions">
      {isCancelable(job) && (
        <Button look="danger" onPress={() => setAsking('cancel')}>
          Cancel the job …
        </Button>
      )}
      {operator && isRetryable(job) && <Button onPress={() => setAsking('retry')}>Retry the job …</Button>}
      {asking !== undefined && (
        <ConfirmDialog
          title={asking === 'cancel' ? 'Cancel 1 job' : 'Retry 1 job'}
          action={asking === 'cancel' ? 'Cancel the job' : 'Retry the job'}
          danger={asking === 'cancel'}
          pending={act.mutation.isPending}
          error={act.mutation.error}
          confirm={() => act.run(job.jobId)}
          close={close}
        >
          <p>
            {asking === 'cancel'
              ? 'Completed work of the job is kept. The rest is not executed.'
              : 'The job starts again from its beginning.'}
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}
