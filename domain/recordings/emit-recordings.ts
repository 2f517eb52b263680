import type { EntityManager } from '../../platform/database/orm.ts';
import { timedTokens } from '../../platform/encryption/tokens.ts';
import { eachItem, inTurns } from '../../platform/process/in-turns.ts';
import { required } from '../../platform/process/required.ts';
import { activityLogEvent, type SentActivityLog } from '../activity-logs/activity-log-event.ts';
import { prepare } from '../activity-logs/activity-log.ts';
import { activityLogBatch, writeActivityLogs } from '../activity-logs/write-activity-logs.ts';
import { readTriggers } from '../configuration/read-triggers.ts';
import { payloadList, recordEvents } from '../events/record-events.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { RecordingLocation, WrittenRecording } from './write-recordings.ts';

const eventType = 'recorder.done';

/**
 * Emits one event for each recording, and writes its activity log while activity logs are on and their trigger
 * `recorder.done` is not false. The activity log emits no event of its own.
 */
export async function emitRecordings(
  em: EntityManager,
  tenant: Tenant,
  location: RecordingLocation,
  written: readonly WrittenRecording[],
): Promise<void> {
  const { activityLogs: isOn, webhooks } = tenant.switches;
  if (!isOn && !webhooks) return;
  const ids = timedTokens('act', written.length);
  const sent = await inTurns(
    eachItem(written, (one, at) => activityLogOf(required(ids[at], 'generated id'), one, location)),
  );
  if (isOn && (await readTriggers(em, tenant.id)).activity(eventType) !== false) {
    const added = await activityLogBatch(sent);
    await writeActivityLogs(em, tenant, { added, others: await activityLogBatch([]) });
  }
  if (!webhooks) return;
  const events = await inTurns(eachItem(sent, activityLogEvent));
  await recordEvents(em, tenant.id, events, await payloadList(events));
}

function activityLogOf(
  activityId: string,
  { recording, createdAt, lastUpdated }: WrittenRecording,
  location: RecordingLocation,
): SentActivityLog {
  const { id, body } = recording;
  const at = Date.now();
  const activityLog = prepare({
    id: activityId,
    idSent: false,
    timestamp: at,
    body: {
      featureType: 'recorder',
      actionType: eventType,
      actionUser: body.from,
      targetEntityId: id,
      entityData: { ...body, type: 'recorder', annotationId: id, createdAt, lastUpdated },
    },
  });
  return { activityLog, location, at };
}
