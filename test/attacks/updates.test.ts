import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { activities, addActivityLogs } from '../support/factories.ts';
import { inFull } from '../support/tier.ts';
import { anAttackedApi, expectHarmless, type AttackedApi } from './attacked-api.ts';

const kibibyte = 1_024;
/** Records of 250 KiB each: 250 MB together in the full test. */
const recordCount = inFull ? 1_000 : 400;
const ids = Array.from({ length: recordCount }, (_, at) => `record-${String(at)}`);

let target: AttackedApi;

/** Copies one record in the database: 1,000 calls would take minutes. */
async function copyRecord(table: 'activity' | 'notification', ownColumns: Readonly<Record<string, string>>) {
  const { database } = target.beside;
  const columns = await database.sql<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = '${table}'::regclass and attnum > 0
       and not attisdropped and attname <> 'id' and attgenerated = ''`,
  );
  const names = columns.map(({ name }) => name);
  await database.sql(
    `insert into ${table} (${names.join(', ')})
     select ${names.map((name) => ownColumns[name] ?? `t.${name}`).join(', ')}
     from (select * from ${table} where ext_id = 'original') t, unnest($1::text[]) as copy (ext_id)`,
    [ids],
  );
}

beforeAll(async () => {
  target = await anAttackedApi();
  const { attacker, document } = target;
  const large = 'x'.repeat(250 * kibibyte);
  const [record] = activities(1, { id: 'original', entityData: large });
  await addActivityLogs(attacker, document, [record ?? {}]);
  await copyRecord('activity', { ext_id: 'copy.ext_id' });
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
  await copyRecord('notification', {
    ext_id: 'copy.ext_id',
    audience: `nextval('notification_audience_seq')`,
  });
}, 240_000);
afterAll(() => target.close());

describe('an API whose caller changes more stored data than its memory in one call', () => {
  it.each([
    ['activities', { actionIcon: 'pen' }],
    ['notifications', { displayBodyMessage: 'changed' }],
  ])(
    'changes all records of %s',
    async (path, change) => {
      const { attacker, document } = target;
      const damage = await target.attack(`an update of ${recordCount} records`, async () => {
        const { organizationId } = document;
        const updated = await attacker.ok(`/v2/${path}/update`, {
          organizationId,
          [path]: ids.map((id) => ({ id, ...change })),
        });
        expect(updated.failedCount).toBe(0);
      });
      expectHarmless(damage);
    },
    120_000,
  );

  it('refuses a record that a change would make larger than 256 KiB, and changes the others', async () => {
    const { attacker, document } = target;
    const { data, failedCount } = await attacker.ok<Record<string, object>>('/v2/activities/update', {
      organizationId: document.organizationId,
      activities: [
        { id: ids[0], changes: { text: { from: 'x'.repeat(8 * kibibyte), to: '' } } },
        { id: ids[1], changes: { text: { from: 'x', to: 'y' } } },
      ],
    });
    expect(failedCount).toBe(1);
    expect(data[ids[0] ?? '']).toMatchObject({ success: false, code: 'invalid-argument' });
    expect(data[ids[1] ?? '']).toMatchObject({ success: true });
  });
});
