import { expect } from '@jest/globals';
import { endCallsOfDeletedKeys } from '../support/deleted-keys.ts';
import { eventually } from '../support/eventually.ts';
import {
  activities,
  addActivityLogs,
  aDocument,
  anOperator,
  aTenant,
  withActivityLogs,
} from '../support/factories.ts';
import { killed } from '../support/processes.ts';
import type { Installation } from './migrations.ts';

interface Status {
  readonly status: string;
  readonly removedRows: number;
  readonly receipt: string | null;
}

/**
 * Deletes a key with this many activity logs while its worker is killed, as soon as rows were removed, and another one
 * starts. Each row is counted once, and none is left.
 */
export async function deleteKeyThroughKills(
  installation: Installation,
  { rows, kills }: { readonly rows: number; readonly kills: number },
): Promise<void> {
  const { api } = installation;
  const operator = anOperator(api);
  const tenant = await withActivityLogs(await aTenant(api));
  const document = await aDocument(tenant);
  for (let added = 0; added < rows; added += 1_000)
    await addActivityLogs(tenant, document, activities(Math.min(1_000, rows - added)));
  const { keyId, id } = tenant;
  const { data: key } = await operator.ok<{ name: string }>('/v2/operator/keys/get', { keyId });
  const { data } = await operator.ok<{ jobId: string }>('/v2/operator/keys/delete', {
    keyId,
    confirmName: key.name,
  });
  await endCallsOfDeletedKeys(api.database);
  const status = async (): Promise<Status> =>
    (await operator.ok<Status>('/v2/operator/keys/deletion/get', { jobId: data.jobId })).data;

  let worker = await installation.startWorker();
  for (let kill = 0; kill < kills; kill += 1) {
    const before = (await status()).removedRows;
    await eventually(async () => {
      const { removedRows, status: reached } = await status();
      expect(reached === 'completed' || removedRows > before).toBe(true);
    });
    await killed(worker);
    worker = await installation.startWorker();
  }
  const end = await eventually(async () => {
    const found = await status();
    expect(found.status).toBe('completed');
    return found;
  });
  expect(end.receipt).not.toBeNull();
  // The key has few other rows.
  expect([end.removedRows >= rows, end.removedRows < rows + 100]).toEqual([true, true]);
  const left = await api.database.sql(
    `select 1 from activity where api_key_id = $1 union all select 1 from organization where api_key_id = $1
     union all select 1 from app_user where api_key_id = $1`,
    [id],
  );
  expect(left).toEqual([]);
}
