import assert from 'node:assert/strict';
import { activities, addActivityLogs } from '../../support/factories.ts';
import type { Scene, Stage, Target } from '../scene.ts';

const kibibyte = 1_024;

/** Ids of the records. */
export const updatedIds = (full: boolean): readonly string[] =>
  Array.from({ length: full ? 1_000 : 400 }, (_, at) => `record-${String(at)}`);

/** Copies one record in the database: 1,000 calls would take minutes. */
async function copyRecord(
  target: Target,
  table: 'activity' | 'notification',
  ids: readonly string[],
  ownColumns: Readonly<Record<string, string>>,
): Promise<void> {
  const columns = await target.sql<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = '${table}'::regclass and attnum > 0
       and not attisdropped and attname <> 'id' and attgenerated = ''`,
  );
  const names = columns.map(({ name }) => name);
  await target.sql(
    `insert into ${table} (${names.join(', ')})
     select ${names.map((name) => ownColumns[name] ?? `t.${name}`).join(', ')}
     from (select * from ${table} where ext_id = 'original') t, unnest($1::text[]) as copy (ext_id)`,
    [ids],
  );
}

const changes = {
  activities: { actionIcon: 'pen' },
  notifications: { displayBodyMessage: 'changed' },
} as const;

/** Calls that change more stored data than the API has memory: records of 250 KiB each, 250 MB together in full. */
export function updates(full: boolean): Stage {
  const ids = updatedIds(full);
  return {
    async prepare(target) {
      const { attacker, document } = target;
      const large = 'x'.repeat(250 * kibibyte);
      await addActivityLogs(attacker, document, activities(1, { id: 'original', entityData: large }));
      await copyRecord(target, 'activity', ids, { ext_id: 'copy.ext_id' });
      await attacker.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
      await attacker.ok('/v2/notifications/add', {
        ...document,
        notificationId: 'original',
        actionUser: { userId: 'ada' },
        displayHeadlineMessageTemplate: 'x',
        displayBodyMessage: 'x',
        notificationSourceData: { large },
        notifyUsers: [{ userId: 'ben' }],
      });
      await copyRecord(target, 'notification', ids, {
        ext_id: 'copy.ext_id',
        audience: `nextval('notification_audience_seq')`,
      });
    },
    scenes: Object.entries(changes).map(([path, change]): Scene => ({
      title: `an update of ${String(ids.length)} ${path} of 250 KiB`,
      async attack({ attacker, document }) {
        const { failedCount } = await attacker.ok(`/v2/${path}/update`, {
          organizationId: document.organizationId,
          [path]: ids.map((id) => ({ id, ...change })),
        });
        assert.equal(failedCount, 0);
      },
    })),
  };
}
