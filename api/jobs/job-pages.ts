import { isJobKind } from '../../domain/job-handlers/job-kinds.ts';
import { readJobs, type JobFilter, type JobOwner, type JobRow } from '../../domain/jobs/read-jobs.ts';
import { readWorkspaceJobs, type WorkspaceOfJobs } from '../../domain/jobs/read-workspace-jobs.ts';
import { maxRowsWithin } from '../../domain/page-limit.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { PageReader } from '../http/response/page-reader.ts';
import { textPages } from '../http/response/row-pages.ts';

/** An error is a short fixed text. */
const maxJobBytes = 2_048;

/** Reads pages of the owner's jobs, newest first. Leaves out jobs of a kind that only a later release knows. */
export const jobPages = <Item>(
  em: EntityManager,
  owner: JobOwner | WorkspaceOfJobs,
  filter: JobFilter,
  view: (job: JobRow) => Item,
): PageReader<Item> =>
  textPages(async (before, limit) => {
    const rows = maxRowsWithin(limit, maxJobBytes);
    const position = { before, limit: rows };
    const page =
      'workspaceId' in owner
        ? await readWorkspaceJobs(em, owner, filter, position)
        : await readJobs(em, owner, filter, position);
    return {
      items: page.jobs.filter(({ kind }) => isJobKind(kind)).map(view),
      next: page.next,
      cut: rows < limit.rows && page.jobs.length === rows,
    };
  });
