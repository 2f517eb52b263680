import { z } from 'zod';
import { setViewed as set } from '../../domain/comments/set-viewed.ts';
import { endpoint } from '../http/endpoint.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { idOf, ids, milliseconds } from '../schemas.ts';

const viewedAt = milliseconds.refine((at) => at <= Date.now(), { error: '<m> must not be in the future.' });

export const setViewed = endpoint({
  paths: ['/v2/commentannotations/viewed/set'],
  credentials: 'apiKey',
  mutates: true,
  summary: 'Marks annotations, or all annotations of a document, as read by a user.',
  description:
    'Only this operation writes read marks. A mark never moves back and unknown annotations are ignored, ' +
    'so the call can be repeated. Emits no event.',
  data: z.strictObject({
    organizationId: idOf('the organization'),
    documentId: idOf('the document'),
    userId: idOf('the user who has read them'),
    annotationIds: ids().optional().describe('Ids of annotations, 1 to 1,000. Absent: the whole document.'),
    viewedAt: viewedAt.optional().describe('Milliseconds since the epoch, at most now. Absent: now.'),
  }),
  response: dataResponse(z.strictObject({ success: z.literal(true).describe('Always true.') })),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: { organizationId: 'acme', documentId: 'plan', userId: 'u1', annotationIds: ['ann-1'] },
  async handle({ data, tenant }, { em }) {
    const { annotationIds, viewedAt: at = Date.now(), ...request } = data;
    await set(em, tenant, { ...request, annotationIds, viewedAt: at });
    return succeeded('Annotations marked as viewed.', { success: true as const });
  },
});
