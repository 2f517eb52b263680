import { announceMove } from './announce-move.ts';
import { beginJob } from './begin-job.ts';
import { countRecords } from './count-records.ts';
import type { Dependencies } from './dependencies.ts';
import { flipDocumentId } from './flip-document-id.ts';
import { keepHouse } from './keep-house.ts';
import { removeRows } from './remove-rows.ts';
import { startWaitingJobs } from './start-waiting-jobs.ts';
import { tellMembers } from './tell-members.ts';
import { translating } from './translate-errors.ts';
import { verifyMove } from './verify-move.ts';

/** Everything that workflows call, by name. Workflows take the types from here and nothing else. */
export function createActivities(dependencies: Dependencies) {
  const { logger } = dependencies;
  return {
    beginJob: translating(logger, beginJob(dependencies)),
    countRecords: translating(logger, countRecords(dependencies)),
    flipDocumentId: translating(logger, flipDocumentId(dependencies)),
    announceMove: translating(logger, announceMove(dependencies)),
    verifyMove: translating(logger, verifyMove(dependencies)),
    removeRows: translating(logger, removeRows(dependencies)),
    tellMembers: translating(logger, tellMembers(dependencies)),
    startWaitingJobs: translating(logger, startWaitingJobs(dependencies)),
    keepHouse: translating(logger, keepHouse(dependencies)),
  };
}

export type Activities = ReturnType<typeof createActivities>;
