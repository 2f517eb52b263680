import { describe, expect, it } from '@jest/globals';
import { documentScene } from '../support/document-scene.ts';
import { withListeners } from '../support/webhooks.ts';

const scene = await documentScene({ prepare: withListeners, tenantPerTest: true });

type Found = Readonly<Record<string, unknown>>;

const positions = Array.from({ length: 40 }, (_, position) => String(position));
const from = { userId: 'ada', name: 'Ada' };
const timestamp = Date.now();
const times = { createdAt: timestamp, lastUpdated: timestamp };

const call = async <Data>(path: string, members: object): Promise<Data> =>
  (await scene.tenant.ok<Data>(`/v2/${path}`, { ...scene.document, ...members })).data;
const found = async (path: string, members: object = {}): Promise<Found[]> => call<Found[]>(path, members);

const taggedUserContacts = [{ userId: 'ben', contact: { userId: 'ben', name: 'Ben' } }];
const annotation = (position: string, more: object = {}): object => ({
  ...times,
  commentData: [{ from, commentText: position }],
  ...more,
});
const texts = async (): Promise<unknown[]> =>
  (await found('commentannotations/get', { order: 'asc' })).map(({ comments }) => {
    const [first] = comments as { readonly commentText: string }[];
    return first?.commentText;
  });

const recording = (displayName: string, more: object = {}): object => ({
  from,
  recordingType: 'screen',
  displayName,
  ...times,
  ...more,
});
const names = async (): Promise<unknown[]> =>
  (await found('recordings/get')).map(({ displayName }) => displayName).toReversed();

const activity = (actionType: string, more: object = {}): object => ({
  featureType: 'comment',
  actionType,
  actionUser: from,
  timestamp,
  ...more,
});
const actions = async (): Promise<unknown[]> =>
  (await found('activities/get', { order: 'asc' })).map(({ actionType }) => actionType);

describe('records of one call with equal times', () => {
  it.each([
    ['commentannotations/add', 'commentAnnotations', annotation, texts],
    ['recordings/add', 'recordings', recording, names],
    ['activities/add', 'activities', activity, actions],
  ] as const)(
    'are in the order of the request when %s generates their ids',
    async (path, member, of, read) => {
      await call(path, { [member]: positions.map((position) => of(position)) });
      expect(await read()).toEqual(positions);
    },
  );

  it.each([
    ['commentannotations/add', 'commentAnnotations', 'annotationId', annotation, texts],
    ['recordings/add', 'recordings', 'annotationId', recording, names],
    ['activities/add', 'activities', 'id', activity, actions],
  ] as const)('are in the order of their ids when %s gets ids', async (path, member, idName, of, read) => {
    await call(path, { [member]: ['z', 'm', 'B', 'a'].map((id) => of(id, { [idName]: id })) });
    expect(await read()).toEqual(['B', 'a', 'm', 'z']);
  });

  it('are followed in this order by the activity logs and notifications of comments', async () => {
    await call('commentannotations/add', {
      commentAnnotations: [annotation('first', { annotationId: 'one' })],
    });
    const triggers = { triggerActivities: true, triggerNotification: true };
    const commentData = positions.map((commentText) => ({
      from,
      commentText,
      taggedUserContacts,
      ...triggers,
    }));
    await call('commentannotations/comments/add', {
      annotationId: 'one',
      commentData,
    });
    const commentIds = positions.map((position) => Number(position) + 2);
    const logged = await found('activities/get', { order: 'asc' });
    expect(logged.map(({ targetSubEntityId }) => targetSubEntityId)).toEqual(commentIds.map(String));
    const notified = await found('notifications/get', { order: 'asc' });
    const sources = notified.map((one) => one['notificationSourceData'] as { readonly commentId: number });
    expect(sources.map(({ commentId }) => commentId)).toEqual(commentIds);
  });

  it('are followed in this order by the activity logs of recordings', async () => {
    await call('recordings/add', {
      recordings: positions.map((position) => recording(position)),
      triggerActivities: true,
    });
    const logged = await found('activities/get', { order: 'asc' });
    expect(logged.map((one) => (one['entityData'] as Found)['displayName'])).toEqual(positions);
  });
});
