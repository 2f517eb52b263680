import { afterAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { verifyDeletion } from '../../activities/verify-deletion.ts';
import type { ActiveDeletion } from '../../domain/deletion/active-deletion.ts';
import { fenceUsers } from '../../domain/deletion/fence-users.ts';
import { removePersonalData } from '../../domain/deletion/process-stores.ts';
import { storeNames } from '../../domain/deletion/stores/personal-data-stores.ts';
import type { VerificationPosition } from '../../domain/deletion/verify-deletion.ts';
import type { ScanResult } from '../../workflows/contract.ts';
import { begunDeletion, whole } from '../domain/deletion/carry-out.ts';
import { startTestApi } from '../support/api.ts';
import { activityDependencies } from '../support/dependencies.ts';
import { anOrganization, aTenant, type TestTenant } from '../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

/** A deletion that has removed everything. */
async function aDeletion(): Promise<{ readonly tenant: TestTenant; readonly deletion: ActiveDeletion }> {
  const tenant = await aTenant(api);
  const organizationId = await anOrganization(tenant);
  await tenant.ok('/v2/users/add', { organizationId, users: [{ userId: 'ada', email: 'ada@users.test' }] });
  const deletion = await begunDeletion(api, tenant, { userIds: ['ada'] });
  await whole(fenceUsers(api.orm, deletion));
  await whole(removePersonalData(api.orm, deletion));
  return { tenant, deletion };
}

interface Attempt {
  /** Undefined for an attempt that was stopped. */
  readonly verdict: ScanResult | undefined;
  /** The position in each heartbeat. */
  readonly positions: readonly VerificationPosition[];
}

/** Runs an attempt after one with these heartbeat details, and stops it at a position. */
async function attempt(
  { publicId: jobId }: ActiveDeletion,
  heartbeatDetails?: unknown,
  stopsAt: (position: VerificationPosition) => boolean = () => false,
): Promise<Attempt> {
  const environment = new MockActivityEnvironment({ heartbeatDetails });
  const positions: VerificationPosition[] = [];
  environment.on('heartbeat', (position: VerificationPosition) => {
    positions.push(position);
    if (stopsAt(position)) environment.cancel();
  });
  const run: Promise<ScanResult> = environment.run(verifyDeletion(activityDependencies(api, api.orm)), {
    jobId,
  });
  const verdict = await run.catch((error: unknown) => {
    if (stopsAt(positions.at(-1) as VerificationPosition)) return undefined;
    throw error;
  });
  return { verdict, positions };
}

describe('an attempt to verify a deletion', () => {
  it('continues where the previous one stopped, between two stores and within one', async () => {
    const { tenant, deletion } = await aDeletion();
    // More seconds than one batch of the scan of events reads.
    await api.database.sql(
      `insert into moment_name (api_key_id, endpoint_id, name_hash, at)
       select $1::bigint, 0, hashtextextended('ada', $1::bigint), date_trunc('second', now()) - n * interval '1 second'
       from generate_series(1, 120) n`,
      [tenant.id],
    );
    const { verdict, positions } = await attempt(deletion);
    expect(verdict).toBe('clean');
    expect(positions.at(-1)).toEqual({ scanned: storeNames, found: [], at: null });
    expect(positions.filter(({ at }) => at?.store === 'eventJson')).toHaveLength(2);
    for (const [number, position] of positions.entries()) {
      if (position.at === null && position.scanned.length % 12 > 0) continue;
      const next = await attempt(deletion, position);
      expect(next).toEqual({ verdict: 'clean', positions: positions.slice(number + 1) });
    }
  });

  it('keeps what the previous one has found', async () => {
    const { tenant, deletion } = await aDeletion();
    await api.database.sql(
      `insert into preference (user_id, org_id, api_key_id)
       select u.id, o.id, u.api_key_id from app_user u join organization o on o.api_key_id = u.api_key_id
       where u.api_key_id = $1 and u.ext_id = 'ada'`,
      [tenant.id],
    );
    const stopped = await attempt(deletion, undefined, ({ scanned }) => scanned.includes('events'));
    expect(stopped.verdict).toBeUndefined();
    expect(stopped.positions.at(-1)).toMatchObject({ found: ['preferences'] });
    await api.database.sql('delete from preference where api_key_id = $1', [tenant.id]);
    expect((await attempt(deletion, stopped.positions.at(-1))).verdict).toBe('found');
    const [row] = await api.database.sql<{ open: boolean }>(
      `select not 'preferences' = any(done_places) as open from user_data_deletion where public_id = $1`,
      [deletion.publicId],
    );
    expect(row?.open).toBe(true);
  });

  it('begins again after one of release 0.2.0, whose heartbeats have no position', async () => {
    const { deletion } = await aDeletion();
    const { verdict, positions } = await attempt(deletion, 'activities');
    expect(verdict).toBe('clean');
    expect(positions[0]?.scanned).toEqual([storeNames[0]]);
  });
});
