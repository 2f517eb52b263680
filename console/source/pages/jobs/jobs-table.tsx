import type { ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import type { Job } from '@steward/client';
import { DataTable, type Column } from '../../elements/data-table.tsx';
import { SelectField } from '../../elements/field.tsx';
import { Identifier } from '../../elements/identifier.tsx';
import { JobProgress, JobState } from '../../elements/job-state.tsx';
import { EmptyPage, Pager } from '../../elements/pager.tsx';
import { Time } from '../../elements/time.tsx';
import { titleOf } from '../../elements/words.ts';
import { jobKinds, jobStatuses, type JobsSearch } from './filters.ts';

export function JobFilters({
  search,
  change,
}: {
  readonly search: JobsSearch;
  readonly change: (search: JobsSearch) => void;
}): ReactNode {
  const { kind, status } = search;
  return (
    <search className="filters">
      <SelectField
        label="Kind"
        value={kind}
        values={jobKinds.map((name) => [name, titleOf(name)] as const)}
        none="All kinds"
        onChange={(value) => change({ kind: value, status })}
      />
      <SelectField
        label="Status"
        value={status}
        values={jobStatuses.map((name) => [name, titleOf(name)] as const)}
        none="All statuses"
        onChange={(value) => change({ kind, status: value })}
      />
    </search>
  );
}

const none: readonly never[] = [];

/** `keyOf` returns the public id of the API key of a job. */
export function JobsTable<Row extends Job>({
  jobs,
  next,
  keyOf,
  extra = none,
}: {
  readonly jobs: readonly Row[];
  readonly next: string | undefined;
  readonly keyOf: (job: Row) => string | null;
  readonly extra?: readonly Column<Row>[];
}): ReactNode {
  const columns: readonly Column<Row>[] = [
    { title: 'Job', cell: (job) => <JobLink jobId={job.jobId} keyId={keyOf(job)} /> },
    { title: 'Kind', cell: ({ kind }) => titleOf(kind) },
    ...extra,
    { title: 'Status', cell: ({ status, late }) => <JobState status={status} late={late} /> },
    { title: 'Progress', cell: ({ progress }) => <JobProgress {...progress} /> },
    { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: 'Completed', cell: ({ completedAt }) => <Time at={completedAt} /> },
  ];
  return (
    <>
      {jobs.length === 0 ? (
        <EmptyPage next={next}>No jobs match.</EmptyPage>
      ) : (
        <DataTable caption="Jobs" columns={columns} rows={jobs} id={({ jobId }) => jobId} />
      )}
      <Pager next={next} />
    </>
  );
}

function JobLink({ jobId, keyId }: { readonly jobId: string; readonly keyId: string | null }): ReactNode {
  if (keyId === null) return <Identifier value={jobId} />;
  return (
    <Identifier value={jobId}>
      <Link to="/keys/$keyId/job" params={{ keyId }} search={{ jobId }}>
        {jobId}
      </Link>
    </Identifier>
  );
}
