import { afterAll, beforeAll, expect } from '@jest/globals';
import { findDeletion } from '../../../domain/deletion/active-deletion.ts';
import { beginJob } from '../../../domain/jobs/find-job.ts';
import { startTestApi } from '../../support/api.ts';
import { aReceiver } from '../../support/receiver.ts';
import { carriedOut } from './carry-out.ts';
import { columnsWith, type KnownPerson } from './free-json.ts';
import { columnsOf, declared } from './not-reached.ts';
import { aRandomWorld, type RandomWorld, type Stage } from './random-world.ts';

/** The columns in which the people of a world are still found. */
export interface Remains extends Pick<RandomWorld, 'accepted'> {
  readonly named: readonly string[];
  readonly told: readonly string[];
}

const marks = ({ userId, name, addresses }: KnownPerson): string[] => [userId, name, ...addresses];

/** Deletes the people of the world of a seed, and expects that they are found only where `notReached` declares it. */
export function notReachedScene(): (seed: number) => Promise<Remains> {
  let stage: Stage;
  beforeAll(async () => {
    const api = await startTestApi({ environment: { STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' } });
    stage = { api, receiver: await aReceiver() };
  });
  afterAll(async () => {
    await stage.receiver.close();
    await stage.api.close();
  });
  return async (seed) => {
    const { api } = stage;
    const { tenant, cast, accepted } = await aRandomWorld(stage, seed);
    const found = async (person: KnownPerson) => columnsWith(api.database, marks(person));
    expect(await found(cast.named)).toContain('event.payload');
    const userIds = [cast.named.userId, cast.told.userId];
    const { data } = await tenant.ok<{ jobId: string }>('/v2/users/data/delete', { userIds });
    await beginJob(api.orm, data.jobId);
    const deletion = await findDeletion(api.orm.em.fork(), data.jobId);
    if (deletion === undefined) throw new Error('The deletion has ended.');
    expect({ seed, findings: await carriedOut(api, deletion) }).toEqual({ seed, findings: [] });
    const status = await tenant.ok<{ verified: boolean; notReached: readonly string[] }>(
      '/v2/users/data/delete/status',
      { jobId: data.jobId },
    );
    const { verified, notReached } = status.data;
    expect([verified, notReached.toSorted()]).toEqual([true, Object.keys(declared).toSorted()]);
    const remains = { named: await found(cast.named), told: await found(cast.told), accepted };
    const undeclared = (of: 'named' | 'told') =>
      remains[of].filter((column) => !columnsOf(notReached, of).has(column));
    expect({ seed, named: undeclared('named'), told: undeclared('told') }).toEqual({
      seed,
      named: [],
      told: [],
    });
    return remains;
  };
}
