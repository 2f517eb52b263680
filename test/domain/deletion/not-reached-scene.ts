import { afterAll, beforeAll, expect } from '@jest/globals';
import { findDeletion } from '../../../domain/deletion/active-deletion.ts';
import { beginJob } from '../../../domain/jobs/job-steps.ts';
import { startTestApi } from '../../support/api.ts';
import { aReceiver } from '../../support/receiver.ts';
import { carriedOut } from './carry-out.ts';
import { columnsWith, type KnownPerson } from './free-json.ts';
import { columnsOf, declared, ofOrganizations } from './not-reached.ts';
import { aRandomWorld, type RandomWorld, type Stage } from './random-world.ts';

/** The columns in which the people of a world are still found. */
export interface Remains extends Pick<RandomWorld, 'accepted'> {
  readonly named: readonly string[];
  readonly told: readonly string[];
}

/** Whether a deletion covers the whole key, or each of its organizations. */
export type Scope = 'key' | 'organizations';

const marks = ({ userId, name, addresses }: KnownPerson): string[] => [userId, name, ...addresses];

/** Deletes the people of the world of a seed, and expects that they are found only where `notReached` declares it. */
export function notReachedScene(): (seed: number, scope: Scope) => Promise<Remains> {
  let stage: Stage;
  beforeAll(async () => {
    const api = await startTestApi({ environment: { STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' } });
    stage = { api, receiver: await aReceiver() };
  });
  afterAll(async () => {
    await stage.receiver.close();
    await stage.api.close();
  });
  return async (seed, scope) => {
    const { api } = stage;
    const { tenant, cast, accepted } = await aRandomWorld(stage, seed);
    const found = async (person: KnownPerson) => columnsWith(api.database, marks(person));
    const userIds = [cast.named.userId, cast.told.userId];
    const organizations = await api.database.sql<{ ext_id: string }>(
      'select ext_id from organization where api_key_id = $1',
      [tenant.id],
    );
    const { data } = await tenant.ok<{ jobId: string }>('/v2/users/data/delete', {
      userIds,
      ...(scope === 'organizations' && { organizationIds: organizations.map(({ ext_id }) => ext_id) }),
    });
    await beginJob(api.orm, data.jobId);
    const deletion = await findDeletion(api.orm.em.fork(), data.jobId);
    if (deletion === undefined) throw new Error('The deletion has ended.');
    expect({ seed, findings: await carriedOut(api, deletion) }).toEqual({ seed, findings: [] });
    const status = await tenant.ok<{ verified: boolean; notReached: readonly string[] }>(
      '/v2/users/data/delete/status',
      { jobId: data.jobId },
    );
    const sentences = Object.keys(declared).filter(
      (sentence) => scope === 'organizations' || sentence !== ofOrganizations,
    );
    const { verified, notReached } = status.data;
    expect([verified, notReached.toSorted()]).toEqual([true, sentences.toSorted()]);
    const remains = { named: await found(cast.named), told: await found(cast.told), accepted };
    // Every world writes both there, so the search finds what is left.
    for (const columns of [remains.named, remains.told]) expect(columns).toContain('crdt.decoded');
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
