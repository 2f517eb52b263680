import { describe, expect, it } from '@jest/globals';
import { documentScene } from '../../support/document-scene.ts';
import { withListeners } from '../../support/webhooks.ts';

const scene = await documentScene({ prepare: withListeners });
const { api, tenant } = scene;
await tenant.ok('/v2/workspace/apikeyconfig/update', { enablePrivateComments: true });

const ada = { userId: 'ada', name: 'Ada' };

/** The time of the last change, and the number of events of the annotation. */
async function changes(): Promise<readonly [lastUpdated: number, events: number]> {
  const { data } = await tenant.ok<{ lastUpdated: number }[]>('/v2/commentannotations/get', {
    ...scene.document,
    annotationIds: ['one'],
  });
  const [row] = await api.database.sql<{ count: number }>(
    `select count(*)::int from event where type like 'comment%'`,
  );
  return [data[0]?.lastUpdated ?? 0, row?.count ?? 0];
}

const showTo = async (...userIds: string[]) =>
  tenant.ok('/v2/commentannotations/update', {
    ...scene.document,
    updatedData: { visibility: { type: 'restricted', userIds } },
    actionUser: ada,
    triggerNotification: true,
  });

describe('an annotation', () => {
  it('does not change when its visibility is repeated with the users in another order', async () => {
    await tenant.ok('/v2/commentannotations/add', {
      ...scene.document,
      commentAnnotations: [
        {
          annotationId: 'one',
          createdAt: 1_000,
          lastUpdated: 1_000,
          commentData: [{ from: ada, commentText: 'Really?' }],
        },
      ],
    });
    await showTo('ben', 'cleo');
    const before = await changes();
    await showTo('cleo', 'ben');
    expect(await changes()).toEqual(before);
    await showTo('cleo');
    expect((await changes())[1]).toBe(before[1] + 1);
  });
});
