import type { JobInput } from '../workflows/contract.ts';
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
import { sendNotices } from './send-notices.ts';
import { startWaitingJobs } from './start-waiting-jobs.ts';
import { tellMembers } from './tell-members.ts';
import { testOutboundGuard } from './test-outbound-guard.ts';
import { withTranslatedErrors } from './translate-errors.ts';
import { verifyDeletion } from './verify-deletion.ts';
import { verifyMove } from './verify-move.ts';
import { wakeWaitingWebhooks } from './wake-waiting-webhooks.ts';
import { whileKeyIsActive } from './while-key-is-active.ts';
import { workOnJob } from './work-on-job.ts';
import { countPersonalData, removePersonalData } from './work-on-personal-data.ts';

/** All activities by name. Workflows import only their types. */
export function createActivities(dependencies: Dependencies) {
  const { logger } = dependencies;
  /** An activity of a job; `stopped` ends its workflow while the API key is disabled. */
  const step = <Input extends JobInput, Result>(
    stopped: Result,
    activity: (input: Input) => Promise<Result>,
    retries?: Parameters<typeof withTranslatedErrors>[2],
  ) => withTranslatedErrors(logger, whileKeyIsActive(dependencies, stopped, activity), retries);
  return {
    beginJob: step(false, beginJob(dependencies)),
    countRecords: step(undefined, countRecords(dependencies)),
    flipDocumentId: step(false, flipDocumentId(dependencies)),
    verifyMove: withTranslatedErrors(logger, verifyMove(dependencies)),
    beginDeletion: step(null, beginDeletion(dependencies)),
    fenceUsers: step(false, fenceUsers(dependencies)),
    removePersonalData: step({ state: 'ended', counts: {} }, removePersonalData(dependencies)),
    countPersonalData: step({ state: 'ended', counts: {} }, countPersonalData(dependencies)),
    verifyDeletion: step('ended', verifyDeletion(dependencies)),
    completeDeletion: step('ended', completeDeletion(dependencies)),
    markLate: withTranslatedErrors(logger, markLate(dependencies)),
    removeRows: step({ finished: true }, removeRows(dependencies)),
    workOnJob: step({ finished: true }, workOnJob(dependencies), { retriesDomainErrors: true }),
    tellMembers: step({ finished: true }, tellMembers(dependencies)),
    askProvider: withTranslatedErrors(logger, askProvider(dependencies)),
    dispatchEvents: withTranslatedErrors(logger, dispatchEvents(dependencies)),
    deliverMessages: withTranslatedErrors(logger, deliverMessages(dependencies)),
    sendNotices: withTranslatedErrors(logger, sendNotices(dependencies)),
    wakeWaitingWebhooks: withTranslatedErrors(logger, wakeWaitingWebhooks(dependencies)),
    makeWebhookApplication: step(undefined, makeWebhookApplication(dependencies)),
    testOutboundGuard: step(false, testOutboundGuard(dependencies)),
    openWebhookApplication: withTranslatedErrors(logger, openWebhookApplication(dependencies)),
    startWaitingJobs: withTranslatedErrors(logger, startWaitingJobs(dependencies)),
    readResult: withTranslatedErrors(logger, readResult(dependencies)),
    keepHouse: withTranslatedErrors(logger, keepHouse(dependencies)),
  };
}

export type Activities = ReturnType<typeof createActivities>;
