import type { ReactNode } from 'react';
import type { UserDataDeletion } from '@steward/client';
import { Facts } from '../../elements/facts.tsx';
import { Identifier } from '../../elements/identifier.tsx';
import { JobProgress, JobState } from '../../elements/job-state.tsx';
import { Status } from '../../elements/status.tsx';
import { Time } from '../../elements/time.tsx';

export function DeletionProgress({ deletion }: { readonly deletion: UserDataDeletion }): ReactNode {
  const { jobId, status, late, phase, tasksCount, tasksLeft, waitingFor } = deletion;
  return (
    <Facts
      facts={{
        Job: <Identifier value={jobId} />,
        Status: <JobState status={status} late={late} />,
        Phase: phase ?? '–',
        Tasks: <JobProgress done={tasksCount - tasksLeft} total={tasksCount} />,
        ...(waitingFor !== null && { 'Waits for': waitingFor }),
        ...(!deletion.dryRun && {
          Verified: deletion.verified ? <Status tone="good">Verified</Status> : 'Not yet',
        }),
        Created: <Time at={deletion.createdAt} />,
        Completed: <Time at={deletion.completedAt} />,
      }}
    />
  );
}
