import { distinctItems, ids, idOf } from '../schemas.ts';
import { commentId } from './shared-shapes.ts';

/** Members that select comments of one annotation. */
export const selectedComments = {
  organizationId: idOf('the organization'),
  documentId: idOf('the document'),
  annotationId: idOf('the annotation'),
  commentIds: distinctItems(commentId).optional().describe('Only these comments, 1 to 1,000 ids.'),
  userIds: ids(30).optional().describe('Only comments of these 1 to 30 authors.'),
};
