import { documentScene } from '../../support/document-scene.ts';

/** A recording as responses contain it. */
export interface Recording {
  readonly annotationId: string;
  readonly createdAt: number;
  readonly lastUpdated: number;
  readonly [member: string]: unknown;
}

/** A recording as requests contain it. */
export const recording = (members: object = {}): object => ({
  from: { userId: 'ada', name: 'Ada' },
  recordingType: 'screen',
  ...members,
});

export const idsOf = (recordings: readonly Recording[]): string[] =>
  recordings.map(({ annotationId }) => annotationId);

/** A document for each test, and calls about its recordings. */
export async function recordingsScene() {
  const scene = await documentScene({
    environment: { STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' },
  });
  const { tenant } = scene;
  const add = async (recordings: readonly object[], more: object = {}) =>
    tenant.ok<Record<string, object>>('/v2/recordings/add', { ...scene.document, recordings, ...more });
  const get = async (more: object = {}) => {
    const { organizationId } = scene.document;
    return (await tenant.ok<Recording[]>('/v2/recordings/get', { organizationId, ...more })).data;
  };
  const refusedAdd = async (sent: object, more: object = {}) =>
    tenant.refused('/v2/recordings/add', { ...scene.document, recordings: [sent], ...more });
  return Object.assign(scene, { add, get, refusedAdd });
}
