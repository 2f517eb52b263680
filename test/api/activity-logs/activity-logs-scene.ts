import { documentScene } from '../../support/document-scene.ts';
import { withActivityLogs } from '../../support/factories.ts';

/** A record as responses contain it. */
export interface ActivityLog {
  readonly id: string;
  readonly timestamp: number;
  readonly [member: string]: unknown;
}

/** A record as requests contain it. */
export const comment = (members: object = {}): object => ({
  featureType: 'comment',
  actionType: 'comment.add',
  actionUser: { userId: 'ada', name: 'Ada' },
  ...members,
});

/** A document for each test, of a tenant with activity logs, and calls about them. */
export async function activityLogsScene() {
  const scene = await documentScene({ prepare: withActivityLogs });
  const { tenant } = scene;
  const read = async (more: object = {}): Promise<ActivityLog[]> => {
    const { organizationId } = scene.document;
    return (await tenant.ok<ActivityLog[]>('/v2/activities/get', { organizationId, ...more })).data;
  };
  const add = async (records: readonly object[], more: object = {}) =>
    tenant.ok<{ activityIds: string[] }>('/v2/activities/add', {
      ...scene.document,
      activities: records,
      ...more,
    });
  return Object.assign(scene, { read, add });
}
