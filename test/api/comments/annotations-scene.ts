import { documentScene } from '../../support/document-scene.ts';

/** An annotation as responses contain it. */
export interface Annotation {
  readonly annotationId: string;
  readonly lastUpdated: number;
  readonly comments: readonly { readonly commentId: number }[];
  readonly [member: string]: unknown;
}

export const ada = { userId: 'ada', name: 'Ada', team: 'Research' };

/** A comment and an annotation as requests contain them. */
export const comment = (members: object = {}): object => ({ from: ada, commentText: 'Really?', ...members });
export const annotation = (members: object = {}): object => ({ commentData: [comment()], ...members });

/** A document for each test, and calls about its annotations. */
export async function annotationsScene() {
  const scene = await documentScene();
  const { tenant } = scene;
  const addPath = '/v2/commentannotations/add';
  const add = async (commentAnnotations: readonly object[], more: object = {}) => {
    const request = { ...scene.document, commentAnnotations, ...more };
    return (await tenant.ok<Record<string, Record<string, unknown>>>(addPath, request)).data;
  };
  const get = async (more: object = {}, path = '/v2/commentannotations/get') => {
    const { organizationId } = scene.document;
    return tenant.ok<(Annotation | null)[]>(path, { organizationId, ...more });
  };
  const listed = async (more: object = {}) => (await get(more)).data.map((found) => found?.annotationId);
  const refused = async (item: object, more: object = {}) =>
    tenant.refused(addPath, { ...scene.document, commentAnnotations: [item], ...more });
  return Object.assign(scene, { add, get, listed, refused });
}
