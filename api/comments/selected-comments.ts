import { ids, idOf, integer, items } from '../schemas.ts';
import { maxNumberId } from './shared-shapes.ts';

/** Members that select comments of one annotation. */
export const selectedComments = {
  organizationId: idOf('the organization'),
  documentId: idOf('the document'),
  annotationId: idOf('the annotation'),
  commentIds: items(integer(1, maxNumberId))
    .transform((sent) => [...new Set(sent)])
    .optional()
    .describe('Only these comments, 1 to 1,000 ids.'),
  userIds: ids(30).optional().describe('Only comments of these 1 to 30 authors.'),
};
