import { nameOfNumber } from '../name-of-number.ts';
import type { CallingTenant } from '../tenancy/tenant.ts';
import type { ThreadContents, ThreadPeople } from './read-contents.ts';
import type { ThreadRow } from './thread-page.ts';
import { suggestionStatusNumbers, threadKindNumbers } from './thread.entity.ts';
import { commentView } from './comment-view.ts';

/** The users of a thread without any. */
export const noPeople: ThreadPeople = { involved: [], mentioned: [], resolver: null, statusUpdater: null };

/** Renders a thread with its comments and reactions, for the caller. */
export function annotationView(tenant: CallingTenant, organizationId: string, contents: ThreadContents) {
  return (row: ThreadRow) => {
    const rendered = (contents.comments.get(row.id) ?? []).map((comment) =>
      commentView(row.ext_id, comment, contents.reactions.get(comment.id) ?? []),
    );
    const people = contents.people.get(row.id) ?? noPeople;
    return withApiKey(tenant, {
      ...annotationHead(organizationId, row, people),
      commentsCount: rendered.length,
      comments: rendered,
    });
  };
}

/** Adds the API key, which only responses contain. */
export const withApiKey = <Annotation extends { readonly metadata: object }>(
  { apiKey }: CallingTenant,
  annotation: Annotation,
) => ({ ...annotation, metadata: { apiKey, ...annotation.metadata } });

/** The members of an annotation except its comments. */
export function annotationHead(organizationId: string, row: ThreadRow, people: ThreadPeople) {
  return {
    ...annotationMembers(organizationId, row),
    resolvedByUserId: people.resolver?.userId ?? null,
    resolvedByUser: people.resolver,
    statusUpdatedByUserId: people.statusUpdater,
    involvedUserIds: people.involved,
    mentionedUserIds: people.mentioned,
  };
}

/** The members of an annotation that its row contains. */
export function annotationMembers(organizationId: string, row: ThreadRow) {
  const { display, suggestion, visibilityConfig, from, priority, assignedTo, ...stored } = row.body;
  const status = row.suggestion === null ? undefined : nameOfNumber(suggestionStatusNumbers, row.suggestion);
  return {
    ...stored,
    ...display,
    annotationId: row.ext_id,
    type: nameOfNumber(threadKindNumbers, row.kind),
    from: from ?? null,
    priority: priority ?? null,
    assignedTo: assignedTo ?? null,
    locationId: row.location_id,
    ...(status !== undefined && { suggestion: { ...suggestion, status } }),
    visibilityConfig: visibilityConfig ?? { type: 'public' as const },
    sourceType: stored.agent === undefined ? ('rest-api' as const) : ('agent' as const),
    createdAt: Number(row.created_at),
    lastUpdated: Number(row.updated_at),
    metadata: {
      organizationId,
      documentId: row.document_ext_id,
      ...(row.folder_ext_id !== null && { folderId: row.folder_ext_id }),
    },
  };
}
