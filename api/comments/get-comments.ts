import { z } from 'zod';
import { commentView } from '../../domain/comments/comment-view.ts';
import {
  findThread,
  readCommentPage,
  readCommentsById,
  type CommentQuery,
} from '../../domain/comments/read-comments.ts';
import { readReactions, type CommentRow } from '../../domain/comments/read-contents.ts';
import { findDocument } from '../../domain/documents/resolve-document.ts';
import { findOrganization } from '../../domain/organizations/resolve-organization.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { listResponse, paging } from '../http/response/list.ts';
import { exclude } from '../rules.ts';
import { customerId, distinctItems, ids } from '../schemas.ts';
import { commentResponse } from './comment.ts';
import { inOneSnapshot } from './in-one-snapshot.ts';
import { commentId } from './shared-shapes.ts';

const message = 'Comments retrieved successfully.';

export const getComments = endpoint({
  paths: bothVersions('commentannotations/comments/get'),
  credentials: 'apiKey',
  mutates: false,
  summary: 'Lists the comments of an annotation with their reactions, by createdAt.',
  description:
    'With `commentIds`, returns one entry for each id, in request order: null for an unknown id, or a ' +
    'comment of an author outside `userIds`. A page ends at `pageSize` comments or 10 MiB: only an absent ' +
    '`nextPageToken` marks the end.',
  data: z
    .strictObject({
      organizationId: customerId.describe('Id of the organization.'),
      documentId: customerId.describe('Id of the document.'),
      annotationId: customerId.describe('Id of the annotation.'),
      userIds: ids(30).optional().describe('Only comments of these 1 to 30 authors.'),
      commentIds: distinctItems(commentId)
        .optional()
        .describe(
          'Only these comments, 1 to 1,000 ids. Excludes `pageToken`; with ids, `pageSize` has no effect.',
        ),
      ...paging,
    })
    .check(exclude('commentIds', 'pageToken')),
  response: listResponse(commentResponse.nullable(), {
    unpagedPaths: ['/v1/commentannotations/comments/get'],
    repeatsPageToken: true,
  }),
  errors: ['NOT_FOUND'],
  example: { organizationId: 'acme', documentId: 'plan', annotationId: 'thread-1' },
  async handle({ data: sent, tenant }, { em }) {
    const { id: organization } = await findOrganization(em, tenant, sent.organizationId);
    const { id: document } = await findDocument(em, { id: organization }, sent.documentId);
    const thread = await findThread(em, { organization, document }, sent.annotationId);
    const query: CommentQuery = { thread, userIds: sent.userIds };
    const { annotationId, commentIds } = sent;
    if (commentIds !== undefined) {
      const byId = inOneSnapshot<View | null>(em, async (own, position, limit) => {
        const from = Number(position?.[0] ?? 0);
        const requested = commentIds.slice(from);
        const { comments, cut } = await readCommentsById(own, tenant, query, requested, limit);
        const end = from + comments.length;
        return {
          items: await rendered(own, annotationId, comments),
          next: end < commentIds.length ? [end] : undefined,
          cut: cut || end < commentIds.length,
        };
      });
      return { message, list: byId, streamed: true };
    }
    const list = inOneSnapshot<View | null>(em, async (own, position, limit) => {
      const [createdAt, id] = position ?? [];
      const after = createdAt === undefined ? undefined : { createdAt: String(createdAt), id: String(id) };
      const { comments, next, cut } = await readCommentPage(own, tenant, query, after, limit);
      return {
        items: await rendered(own, annotationId, comments),
        next: next && [next.createdAt, next.id],
        cut,
      };
    });
    return { message, list };
  },
});

type View = ReturnType<typeof commentView>;

/** Renders comments with their reactions, read in one statement. */
async function rendered(
  em: EntityManager,
  annotationId: string,
  comments: readonly (CommentRow | null)[],
): Promise<(View | null)[]> {
  const keys = comments.flatMap((comment) => (comment === null ? [] : [comment.id]));
  const reactions = Map.groupBy(await readReactions(em, keys), ({ comment_id }) => comment_id);
  return comments.map(
    (comment) => comment && commentView(annotationId, comment, reactions.get(comment.id) ?? []),
  );
}
