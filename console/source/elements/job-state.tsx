import type { ReactNode } from 'react';
import type { JobStatus } from '@steward/client';
import { Status, type Tone } from './status.tsx';
import { wordsOf } from './words.ts';

const tones: Readonly<Record<string, Tone>> = {
  pending: 'plain',
  in_progress: 'busy',
  completed: 'good',
  failed: 'bad',
};

/** The status of a job, and whether it is later than its kind allows. */
export function JobState({
  status,
  late = false,
}: {
  readonly status: JobStatus;
  readonly late?: boolean;
}): ReactNode {
  return (
    <>
      <Status tone={tones[status] ?? 'plain'}>{wordsOf(status)}</Status>
      {late && <Status tone="warn">late</Status>}
    </>
  );
}

export function JobProgress({
  done,
  total,
}: {
  readonly done: number;
  readonly total: number | null;
}): ReactNode {
  const shown = new Intl.NumberFormat('en');
  if (total === null) return shown.format(done);
  return (
    <span className="meter">
      <span>
        {shown.format(done)} of {shown.format(total)}
      </span>
      <progress aria-label="Progress" value={done} max={Math.max(total, 1)} />
    </span>
  );
}
