import { describe, expect, it } from '@jest/globals';
import { freshId } from '../../support/factories.ts';
import { annotationsScene, comment } from './annotations-scene.ts';

const scene = await annotationsScene();
const { tenant } = scene;

const from = { userId: 'ada' };

/** Operations without `createOrganization` and `createDocument`, and their members beside the location. */
const withoutFlags: readonly (readonly [path: string, members: object])[] = [
  ['commentannotations/update', { updatedData: { priority: null } }],
  ['commentannotations/delete', {}],
  ['commentannotations/viewed/set', { userId: 'ada' }],
  ['commentannotations/comments/update', { annotationId: 'a', updatedData: { commentText: 'New' } }],
  ['commentannotations/comments/delete', { annotationId: 'a' }],
  ['commentannotations/comments/reactions/add', { annotationId: 'a', commentId: 1, icon: 'up', from }],
  ['commentannotations/comments/reactions/delete', { annotationId: 'a', commentId: 1, icon: 'up', from }],
];

describe('an unknown location', () => {
  it.each(withoutFlags)('is refused by %s, which cannot create it', async (path, members) => {
    const { organizationId } = scene.document;
    const ofDocument = { organizationId, documentId: freshId('none'), ...members };
    expect(await tenant.refused(`/v2/${path}`, ofDocument)).toMatchObject({
      status: 'NOT_FOUND',
      message: 'Document does not exist',
    });
    const ofOrganization = { ...ofDocument, organizationId: freshId('none') };
    expect(await tenant.refused(`/v2/${path}`, ofOrganization)).toMatchObject({
      status: 'NOT_FOUND',
      message: 'Organization does not exist',
    });
  });

  it('is refused by commentannotations/add with the flag that creates it', async () => {
    const { organizationId } = scene.document;
    const request = {
      organizationId,
      documentId: 'none',
      commentAnnotations: [{ commentData: [comment()] }],
    };
    expect(await tenant.refused('/v2/commentannotations/add', request)).toMatchObject({
      status: 'NOT_FOUND',
      message: expect.stringMatching(/ or send createDocument: true\.$/),
    });
  });
});
