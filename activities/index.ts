import { announceMove } from './announce-move.ts';
import { askProvider } from './ask-provider.ts';
import { beginDeletion } from './begin-deletion.ts';
import { beginJob } from './begin-job.ts';
import { completeDeletion } from './complete-deletion.ts';
import { countRecords } from './count-records.ts';
import { deliverMessages } from './deliver-messages.ts';
import type { Dependencies } from './dependencies.ts';
import { dispatchEvents } from './dispatch-events.ts';
import { fenceUsers } from './fence-users.ts';
import { flipDocumentId } from './flip-document-id.ts';
import { keepHouse } from './keep-house.ts';
import { markLate } from './mark-late.ts';
import { makeWebhookApplication } from './make-webhook-application.ts';
import { openWebhookApplication } from './open-webhook-application.ts';
import { readResult } from './read-result.ts';
import { removeRows } from './remove-rows.ts';
import { startWaitingJobs } from './start-waiting-jobs.ts';
import { tellMembers } from './tell-members.ts';
import { testOutboundGuard } from './test-outbound-guard.ts';
import { translating } from './translate-errors.ts';
import { verifyDeletion } from './verify-deletion.ts';
import { verifyMove } from './verify-move.ts';
import { wakeWaitingWebhooks } from './wake-waiting-webhooks.ts';
import { workOnJob } from './work-on-job.ts';
import { countPersonalData, removePersonalData } from './work-on-personal-data.ts';

/** Everything that workflows call, by name. Workflows take the types from here and nothing else. */
export function createActivities(dependencies: Dependencies) {
  const { logger } = dependencies;
  return {
    beginJob: translating(logger, beginJob(dependencies)),
    countRecords: translating(logger, countRecords(dependencies)),
    flipDocumentId: translating(logger, flipDocumentId(dependencies)),
    announceMove: translating(logger, announceMove(dependencies)),
    verifyMove: translating(logger, verifyMove(dependencies)),
    beginDeletion: translating(logger, beginDeletion(dependencies)),
    fenceUsers: translating(logger, fenceUsers(dependencies)),
    removePersonalData: translating(logger, removePersonalData(dependencies)),
    countPersonalData: translating(logger, countPersonalData(dependencies)),
    verifyDeletion: translating(logger, verifyDeletion(dependencies)),
    completeDeletion: translating(logger, completeDeletion(dependencies)),
    markLate: translating(logger, markLate(dependencies)),
    removeRows: translating(logger, removeRows(dependencies)),
    workOnJob: translating(logger, workOnJob(dependencies)),
    tellMembers: translating(logger, tellMembers(dependencies)),
    askProvider: translating(logger, askProvider(dependencies)),
    dispatchEvents: translating(logger, dispatchEvents(dependencies)),
    deliverMessages: translating(logger, deliverMessages(dependencies)),
    wakeWaitingWebhooks: translating(logger, wakeWaitingWebhooks(dependencies)),
    makeWebhookApplication: translating(logger, makeWebhookApplication(dependencies)),
    testOutboundGuard: translating(logger, testOutboundGuard(dependencies)),
    openWebhookApplication: translating(logger, openWebhookApplication(dependencies)),
    startWaitingJobs: translating(logger, startWaitingJobs(dependencies)),
    readResult: translating(logger, readResult(dependencies)),
    keepHouse: translating(logger, keepHouse(dependencies)),
  };
}

export type Activities = ReturnType<typeof createActivities>;
