import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { deleteEndedJobs } from '../../domain/maintenance/delete-expired.ts';
import { receiptType } from '../../domain/deletion/receipt.ts';
import { signAs } from '../../domain/signing/sign-token.ts';
import { currentTokenKey } from '../../domain/signing/token-keys.ts';
import { inTransaction } from '../../platform/database/orm.ts';
import { startTestApi } from '../support/api.ts';
import { aTenant, type TestTenant } from '../support/factories.ts';
import { rowsOf } from '../support/rows.ts';
import { begunDeletion, carriedOut } from '../domain/deletion/carry-out.ts';

const verifyPath = '/v2/users/data/delete/receipt/verify';
const notValid = 'receipt must be an unmodified receipt of this API key.';

const api = await startTestApi({ environment: { STEWARD_PUBLIC_URL: 'https://steward.example.com/' } });
afterAll(api.close);

let tenant: TestTenant;
beforeEach(async () => {
  tenant = await aTenant(api);
});

interface Receipt {
  readonly jws: string;
  readonly jobId: string;
  readonly users: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly unfinished: readonly string[];
}
interface Status {
  readonly receipt: Receipt | null;
  readonly pseudonyms: readonly { readonly userId: string; readonly pseudonym: string }[];
}
const statusOf = async (jobId: string): Promise<Status> =>
  (await tenant.ok<Status>('/v2/users/data/delete/status', { jobId })).data;

/** Cancels a deletion before it begins. Returns its job and receipt. */
async function cancelled(userIds: readonly string[]): Promise<Receipt> {
  const { data } = await tenant.ok<{ jobId: string }>('/v2/users/data/delete', { userIds });
  await tenant.ok('/v2/jobs/cancel', { jobId: data.jobId });
  return receiptOf(await statusOf(data.jobId));
}

function receiptOf({ receipt }: Status): Receipt {
  if (receipt === null) throw new Error('missing receipt of the canceled deletion');
  return receipt;
}

type Coverage = Readonly<Record<string, { readonly covered: boolean; readonly pseudonym: string }>>;
const verified = async (receipt: unknown, userIds: readonly string[]): Promise<Coverage> =>
  (await tenant.ok<Coverage>(verifyPath, { receipt, userIds })).data;
const coveredOf = async (receipt: unknown, userIds: readonly string[]): Promise<readonly boolean[]> =>
  Object.values(await verified(receipt, userIds)).map(({ covered }) => covered);

const claimsOf = ({ jws }: Pick<Receipt, 'jws'>): Record<string, unknown> =>
  JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;

const jobEnded = async (jobId: string, daysAgo: number): Promise<void> => {
  await api.database.sql(`update job set ended_at = now() - $2 * interval '1 day' where public_id = $1`, [
    jobId,
    daysAgo,
  ]);
  await deleteEndedJobs(api.orm.em.fork());
};

describe('a deletion status', () => {
  it.each([
    [11, false],
    [13, true],
  ])('stays late after its job is deleted, as a deletion of %s hours: %s', async (hours, late) => {
    const { jobId } = await cancelled(['ada']);
    await api.database.sql(
      `with d as (
         update user_data_deletion set created_at = ended_at - $2 * interval '1 hour' where public_id = $1 returning job_id)
       update job set late_at = case when $3 then now() end where id = (select job_id from d)`,
      [jobId, hours, late],
    );
    expect(await statusOf(jobId)).toMatchObject({ late });
    await jobEnded(jobId, 91);
    expect(await statusOf(jobId)).toMatchObject({ late, pseudonyms: [] });
  });
});

describe('pseudonyms of a deletion status', () => {
  it('are returned while a deletion is pending, and match the receipt after its end', async () => {
    const userIds = ['ada', 'grace', '__proto__'];
    const { data } = await tenant.ok<{ jobId: string }>('/v2/users/data/delete', { userIds });
    const { pseudonyms } = await statusOf(data.jobId);
    expect(pseudonyms.map(({ userId }) => userId).toSorted()).toEqual(userIds.toSorted());
    await tenant.ok('/v2/jobs/cancel', { jobId: data.jobId });
    const ended = await statusOf(data.jobId);
    expect(ended.pseudonyms).toEqual(pseudonyms);
    expect(receiptOf(ended).users).toEqual(pseudonyms.map(({ pseudonym }) => pseudonym).toSorted());
  });

  it('are returned after a completed deletion, without a userId in plain text in the database', async () => {
    const deletion = await begunDeletion(api, tenant, { userIds: ['ada-the-person', 'nobody-at-all'] });
    expect(await carriedOut(api, deletion)).toEqual([]);
    const { pseudonyms } = await statusOf(deletion.publicId);
    expect(pseudonyms.map(({ userId }) => userId)).toEqual(['ada-the-person', 'nobody-at-all']);
    const stored = JSON.stringify(await rowsOf(api.database, tenant.id));
    for (const { userId, pseudonym } of pseudonyms) {
      expect(stored).not.toContain(userId);
      expect(stored).not.toContain(Buffer.from(userId).toString('hex'));
      expect(stored).toContain(pseudonym);
    }
  });

  it('are deleted with the job, 90 days after its end', async () => {
    const { jobId } = await cancelled(['ada']);
    await jobEnded(jobId, 89);
    expect((await statusOf(jobId)).pseudonyms).toHaveLength(1);
    await jobEnded(jobId, 91);
    expect((await statusOf(jobId)).pseudonyms).toEqual([]);
    const left = await api.database.sql(
      'select 1 from user_data_deletion where users_enc is not null and public_id = $1',
      [jobId],
    );
    expect(left).toEqual([]);
  });

  it('are empty for a dry run', async () => {
    const { data } = await tenant.ok<{ jobId: string }>('/v2/users/data/delete', {
      userIds: ['ada'],
      dryRun: true,
    });
    expect((await statusOf(data.jobId)).pseudonyms).toEqual([]);
  });
});

describe('a receipt', () => {
  it('is issued by STEWARD_PUBLIC_URL for the API key', async () => {
    const receipt = await cancelled(['ada']);
    const { jws: _jws, ...body } = receipt;
    expect(claimsOf(receipt)).toEqual({ iss: 'https://steward.example.com', aud: tenant.apiKey, ...body });
  });

  it('is stored in no row with the API key in plain text', async () => {
    const { jws } = await cancelled(['ada']);
    const stored = JSON.stringify(await rowsOf(api.database, tenant.id));
    for (const secret of [tenant.apiKey, jws, jws.split('.')[1] ?? '']) expect(stored).not.toContain(secret);
  });
});

describe('users/data/delete/receipt/verify', () => {
  it('returns for each userId whether the receipt covers it, given the whole receipt or its jws', async () => {
    const receipt = await cancelled(['ada', '__proto__']);
    for (const sent of [receipt, receipt.jws]) {
      const { message, data } = await tenant.ok<Coverage>(verifyPath, {
        receipt: sent,
        userIds: ['ada', 'grace', '__proto__', 'constructor'],
      });
      expect(message).toBe('User data deletion receipt verified successfully.');
      expect(Object.entries(data).map(([userId, { covered }]) => [userId, covered])).toEqual([
        ['ada', true],
        ['grace', false],
        ['__proto__', true],
        ['constructor', false],
      ]);
      expect(receipt.users).toContain(data['ada']?.pseudonym);
    }
    expect(
      (await tenant.ok<Coverage>(verifyPath.replace('v2', 'v1'), { receipt, userIds: ['ada'] })).data,
    ).toEqual(await verified(receipt, ['ada']));
  });

  it('verifies a receipt after its job, its row and its signing key are deleted', async () => {
    const receipt = await cancelled(['ada']);
    await jobEnded(receipt.jobId, 91);
    await api.database.sql('delete from user_data_deletion where public_id = $1', [receipt.jobId]);
    await api.database.sql(`update signing_key set retired_at = now() where purpose = 'receipt'`);
    expect(await coveredOf(receipt, ['ada', 'grace'])).toEqual([true, false]);
  });

  it('rejects a receipt of another API key, even for users with the same id', async () => {
    const receipt = await cancelled(['ada']);
    const other = await aTenant(api, { workspace: tenant.workspace });
    for (const sent of [receipt, receipt.jws]) {
      const refusal = await other.refused(verifyPath, { receipt: sent, userIds: ['ada'] });
      expect([refusal.http, refusal.status, refusal.message]).toEqual([400, 'INVALID_ARGUMENT', notValid]);
      expect(refusal.details.issues).toEqual([{ path: 'data.receipt', message: notValid }]);
    }
  });

  it('rejects a receipt with a changed body or JWS', async () => {
    const receipt = await cancelled(['ada']);
    const [header = '', payload = '', signature = ''] = receipt.jws.split('.');
    const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const changed = encoded({ ...claimsOf(receipt), users: [] });
    const unsigned = encoded({ alg: 'none', typ: receiptType });
    const noKey = encoded({ alg: 'EdDSA', typ: receiptType });
    const badKey = encoded({ alg: 'EdDSA', typ: receiptType, kid: 'receipt_\0' });
    const { data } = await tenant.ok<{ token: string }>('/v2/auth/generate_token', { userId: 'ada' });
    for (const bad of [
      { ...receipt, users: [...receipt.users, 'another'] },
      { ...receipt, verifiedAt: 1 },
      { ...receipt, further: true },
      `${header}.${changed}.${signature}`,
      `${unsigned}.${payload}.`,
      `${noKey}.${payload}.${signature}`,
      `${badKey}.${payload}.${signature}`,
      `${header}.${payload}.${signature}=`,
      `${header}.${payload}.${signature.slice(0, -2)}`,
      `${receipt.jws}.more`,
      `${header}.${payload}`,
      'no receipt',
      data.token,
    ]) {
      const refusal = await tenant.refused(verifyPath, { receipt: bad, userIds: ['ada'] });
      expect([bad, refusal.http, refusal.message]).toEqual([bad, 400, notValid]);
    }
  });

  it.each([
    [undefined, 'receipt is required.'],
    [null, 'receipt must not be null.'],
    [7, 'receipt must be the receipt of a status, or its jws.'],
    [{}, 'receipt must be the receipt of a status, or its jws.'],
  ])('refuses the shape of %j', async (receipt, message) => {
    const refusal = await tenant.refused(verifyPath, { receipt, userIds: ['ada'] });
    expect([refusal.http, refusal.message]).toEqual([400, message]);
  });
});

describe('the row of a receipt', () => {
  it('has only the kinds that release 0.2.0 reads; the receipt has those of its signature', async () => {
    const { jws, ...body } = await cancelled(['ada']);
    const { iss: _iss, aud: _aud, ...signed } = claimsOf({ jws });
    expect(body).toEqual(signed);
    expect(body.unfinished).toContain('comments');
    const [row] = await api.database.sql<{ receipt: typeof body }>(
      'select receipt from user_data_deletion where public_id = $1',
      [body.jobId],
    );
    const former =
      'memberships grants groups preferences notificationsReceived notificationsCaused activities';
    const kinds = [...former.split(' '), 'mentions', 'agentExecutions', 'crdtRecords', 'events', 'user'];
    expect(Object.keys(row?.receipt.counts ?? {})).toEqual(kinds);
    expect(row?.receipt.unfinished).toEqual(kinds);
  });
});

describe('a receipt of version 0.1', () => {
  it('is returned and verified unchanged, without later kinds, for its own API key only', async () => {
    const { jobId, counts, ...rest } = await cancelled(['ada']);
    const { recordings, commentAnnotations, comments, reactions, commentViews, deliveries, ...known } =
      counts;
    expect([recordings, commentAnnotations, comments, reactions, commentViews, deliveries]).not.toContain(
      undefined,
    );
    const { jws: _jws, ...body } = { jobId, counts: known, ...rest };
    const jws = await inTransaction(api.orm, async (em) =>
      signAs(receiptType, await currentTokenKey(em, api.keyRing, 'receipt'), { iss: 'steward', ...body }),
    );
    const former = { ...body, jws };
    await api.database.sql(
      'update user_data_deletion set receipt = $2, jws_enc = null, users_enc = null where public_id = $1',
      [jobId, JSON.stringify(former)],
    );
    const status = await statusOf(jobId);
    expect(status.receipt).toEqual(former);
    expect(status.pseudonyms).toEqual([]);
    expect(await coveredOf(former, ['ada', 'grace'])).toEqual([true, false]);
    const other = await aTenant(api);
    expect((await other.refused(verifyPath, { receipt: former, userIds: ['ada'] })).message).toBe(notValid);
  });
});
