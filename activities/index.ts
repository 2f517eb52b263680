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
import { withTranslatedErrors } from './translate-errors.ts';
import { verifyDeletion } from './verify-deletion.ts';
import { verifyMove } from './verify-move.ts';
import { wakeWaitingWebhooks } from './wake-waiting-webhooks.ts';
import { workOnJob } from './work-on-job.ts';
import { countPersonalData, removePersonalData } from './work-on-personal-data.ts';

/** All activities by name. Workflows import only their types. */
export function createActivities(dependencies: Dependencies) {
  const { logger } = dependencies;
  return {
    beginJob: withTranslatedErrors(logger, beginJob(dependencies)),
    countRecords: withTranslatedErrors(logger, countRecords(dependencies)),
    flipDocumentId: withTranslatedErrors(logger, flipDocumentId(dependencies)),
    announceMove: announceMove,
    verifyMove: withTranslatedErrors(logger, verifyMove(dependencies)),
    beginDeletion: withTranslatedErrors(logger, beginDeletion(dependencies)),
    fenceUsers: withTranslatedErrors(logger, fenceUsers(dependencies)),
    removePersonalData: withTranslatedErrors(logger, removePersonalData(dependencies)),
    countPersonalData: withTranslatedErrors(logger, countPersonalData(dependencies)),
    verifyDeletion: withTranslatedErrors(logger, verifyDeletion(dependencies)),
    completeDeletion: withTranslatedErrors(logger, completeDeletion(dependencies)),
    markLate: withTranslatedErrors(logger, markLate(dependencies)),
    removeRows: withTranslatedErrors(logger, removeRows(dependencies)),
    workOnJob: withTranslatedErrors(logger, workOnJob(dependencies)),
    tellMembers: withTranslatedErrors(logger, tellMembers(dependencies)),
    askProvider: withTranslatedErrors(logger, askProvider(dependencies)),
    dispatchEvents: withTranslatedErrors(logger, dispatchEvents(dependencies)),
    deliverMessages: withTranslatedErrors(logger, deliverMessages(dependencies)),
    wakeWaitingWebhooks: withTranslatedErrors(logger, wakeWaitingWebhooks(dependencies)),
    makeWebhookApplication: withTranslatedErrors(logger, makeWebhookApplication(dependencies)),
    testOutboundGuard: withTranslatedErrors(logger, testOutboundGuard(dependencies)),
    openWebhookApplication: withTranslatedErrors(logger, openWebhookApplication(dependencies)),
    startWaitingJobs: withTranslatedErrors(logger, startWaitingJobs(dependencies)),
    readResult: withTranslatedErrors(logger, readResult(dependencies)),
    keepHouse: withTranslatedErrors(logger, keepHouse(dependencies)),
  };
}

export type Activities = ReturnType<typeof createActivities>;
