import { afterAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { z } from 'zod';
import { createJob } from '../../domain/jobs/create-job.ts';
import { cascadeKind } from '../../domain/jobs/job-kinds.ts';
import { disableKey, disableWorkspace } from '../../domain/keys/change-keys.ts';
import { addOperatorToken, revokeOperatorToken } from '../../domain/operators/operator-tokens.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { onlyRowOf } from '../../platform/database/statements.ts';
import { startTestApi } from '../support/api.ts';
import { aTenant } from '../support/factories.ts';
import { transacted } from '../support/in-transaction.ts';

const api = await startTestApi();
afterAll(api.close);

const TimeRow = z.strictObject({ text: z.string(), at: z.date() });

const transactionTime = async (em: EntityManager): Promise<z.infer<typeof TimeRow>> =>
  onlyRowOf(em, TimeRow, sql`select now()::text as text, now() as at`);

const stored = async (columns: string, value: string): Promise<string[]> => {
  const [row] = await api.database.sql<Record<string, string>>(columns, [value]);
  return Object.values(row ?? {});
};

describe('a stored time', () => {
  it("is PostgreSQL's time of the transaction: a job's creation", async () => {
    const tenant = await aTenant(api);
    const { id, time } = await transacted(api.orm, async (em) => {
      const job = await createJob(em, tenant, { kind: cascadeKind, organization: null, request: {} });
      return { id: job.id, time: await transactionTime(em) };
    });
    expect(await stored('select created_at::text from job where id = $1', id)).toEqual([time.text]);
  });

  it('is returned as it is stored: an operator token', async () => {
    const made = await transacted(api.orm, async (em) => {
      const { row } = await addOperatorToken(em, { name: 'One', scope: 'read', actsForKeys: false });
      return { id: row.publicId, at: row.createdAt, time: await transactionTime(em) };
    });
    expect(made.at).toEqual(made.time.at);
    const revoked = await transacted(api.orm, async (em) => {
      const row = await revokeOperatorToken(em, made.id);
      return { at: row.revokedAt, time: await transactionTime(em) };
    });
    expect(revoked.at).toEqual(revoked.time.at);
    const times =
      'select created_at::text as created, revoked_at::text from operator_token where public_id = $1';
    expect(await stored(times, made.id)).toEqual([made.time.text, revoked.time.text]);
  });

  it('is returned as it is stored: the end of a key and of its workspace', async () => {
    const tenant = await aTenant(api);
    const key = await transacted(api.orm, async (em) => {
      const { after } = await disableKey(em, { keyId: tenant.keyId });
      return { at: after.disabledAt, time: await transactionTime(em) };
    });
    expect(key.at).toBe(key.time.at.getTime());
    const workspace = await transacted(api.orm, async (em) => {
      await disableWorkspace(em, tenant.workspace.workspaceId);
      return transactionTime(em);
    });
    const times = `select k.disabled_at::text, k.workspace_disabled_at::text as of_workspace, w.disabled_at::text as workspace
      from api_key k join workspace w on w.id = k.workspace_id where k.id = $1`;
    expect(await stored(times, tenant.id)).toEqual([key.time.text, workspace.text, workspace.text]);
  });
});
