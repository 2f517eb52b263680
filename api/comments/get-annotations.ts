import type { AnnotationFilter } from '../../domain/comments/annotation-filter.ts';
import type { ThreadRow } from '../../domain/comments/thread-page.ts';
import type { ThreadSource } from '../../domain/comments/thread-range.ts';
import { readContents } from '../../domain/comments/read-contents.ts';
import { documentKeys, documentsIn, userKeys } from '../../domain/comments/resolve-query.ts';
import { findDocument } from '../../domain/documents/resolve-document.ts';
import { findFolder } from '../../domain/folders/resolve-folder.ts';
import {
  findOrganization,
  type ResolvedOrganization,
} from '../../domain/organizations/resolve-organization.ts';
import type { Tenant } from '../../domain/tenancy/tenant.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { annotationView } from '../../domain/comments/annotation-view.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { listResponse } from '../http/response/list.ts';
import { annotationQuery, isById, type AnnotationQuery } from './annotation-query.ts';
import { annotationResponse } from './annotation.ts';
import {
  annotationsById,
  annotationGroups,
  annotationPages,
  type AnnotationReading,
} from './read-annotations.ts';

const message = 'Annotation(s) fetched successfully.';

export const getAnnotations = endpoint({
  paths: bothVersions('commentannotations/get'),
  credentials: 'apiKey',
  mutates: false,
  summary: 'Lists comment annotations with all of their comments and reactions, by lastUpdated.',
  description:
    'Filters are combined with AND, values of one list with OR. A page ends at `pageSize` annotations, ' +
    '20,000 comments and reactions, or 10 MiB, and examines at most 20,000 annotations. So it may be ' +
    'short: only an absent `nextPageToken` marks the end. Returns annotations of every visibility. An ' +
    'annotation that does not change while pages are read appears exactly once.',
  data: annotationQuery,
  response: listResponse(annotationResponse.nullable(), {
    unpagedPaths: ['/v1/commentannotations/get'],
    repeatsPageToken: true,
    groupedBy: 'Annotations by document id.',
  }),
  errors: ['NOT_FOUND'],
  example: { organizationId: 'acme', documentId: 'plan', pageSize: 50 },
  async handle({ data: sent, tenant, version }, { em }) {
    const organization = await findOrganization(em, tenant, sent.organizationId);
    const resolved = await resolveQuery(em, tenant, organization, sent);
    if (resolved === undefined) {
      if (sent.groupByDocumentId) return { message, groups: none };
      return { message, list: isById(sent) ? (sent.annotationIds ?? []).map(() => null) : [] };
    }
    const rendered = async (own: EntityManager, threads: readonly ThreadRow[]) => {
      const contents = await readContents(
        own,
        threads.map(({ id }) => id),
      );
      return threads.map(annotationView(tenant, sent.organizationId, contents));
    };
    const streams = version === 1 && sent.pageSize === undefined && sent.pageToken === undefined;
    const reading: AnnotationReading = { em, organization, ...resolved, streams, rendered };
    if (sent.groupByDocumentId) return { message, groups: annotationGroups(reading) };
    if (resolved.document !== undefined && isById(sent)) {
      const list = annotationsById(reading, resolved.document, sent.annotationIds ?? []);
      return { message, list, streamed: true };
    }
    return { message, list: annotationPages(reading) };
  },
});

const none = async () => Promise.resolve({ items: [], next: undefined, cut: false });

type Resolved = Pick<AnnotationReading, 'query' | 'documents'> & { readonly document: string | undefined };

/**
 * Resolves ids to surrogate keys. Undefined when nothing can match, because a filter has only unknown users or
 * documents.
 */
async function resolveQuery(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  sent: AnnotationQuery,
): Promise<Resolved | undefined> {
  const { documentId, documentIds, folderId, userIds, mentionedUserIds, resolvedBy, statusId } = sent;
  const document =
    documentId === undefined ? undefined : (await findDocument(em, organization, documentId)).id;
  const folder =
    folderId === undefined ? undefined : ((await findFolder(em, tenant, organization, folderId))?.id ?? null);
  const named = [
    ...(userIds ?? []),
    ...(mentionedUserIds ?? []),
    ...(resolvedBy === undefined ? [] : [resolvedBy]),
  ];
  const users = await userKeys(em, tenant, named);
  const known = (sentIds: readonly string[] | undefined): readonly string[] | undefined =>
    sentIds?.flatMap((id) => users.get(id) ?? []);
  const resolver = resolvedBy === undefined ? undefined : users.get(resolvedBy);
  const documents = await documentsOf(em, organization, document, documentIds, folder);
  const lists = [known(userIds), known(mentionedUserIds), documents];
  if (lists.some((list) => list?.length === 0) || (resolvedBy !== undefined && resolver === undefined))
    return undefined;
  const filter: AnnotationFilter = {
    folder,
    locationIds: sent.locationIds,
    annotationIds: sent.annotationIds,
    creators: known(userIds),
    mentioned: known(mentionedUserIds),
    statusIds: statusId === undefined ? sent.statusIds : [statusId],
    resolver,
    agentId: sent.agentId,
    executionId: sent.executionId,
    agentType: sent.agentType,
    agentSource: sent.agentSource,
    agentSuggestions: sent.agentSuggestions,
    agentComments: sent.agentComments,
    createdAfter: sent.createdAfter,
    createdBefore: sent.createdBefore,
  };
  const { order, updatedAfter, updatedBefore } = sent;
  const covers = (document ?? documentIds) === undefined ? 'folder' : undefined;
  const source = sourceOf(documents, covers, filter);
  const query = { source, filter, order, updatedAfter, updatedBefore };
  return { query, documents, document };
}

/** The documents to read by index; undefined for the whole organization, or a folder with too many documents. */
async function documentsOf(
  em: EntityManager,
  organization: ResolvedOrganization,
  document: string | undefined,
  documentIds: readonly string[] | undefined,
  folder: string | null | undefined,
): Promise<readonly string[] | undefined> {
  if (document !== undefined) return [document];
  if (documentIds !== undefined) return [...(await documentKeys(em, organization, documentIds)).values()];
  return folder === undefined ? undefined : documentsIn(em, organization, folder);
}

function sourceOf(
  documents: readonly string[] | undefined,
  covers: 'folder' | undefined,
  filter: AnnotationFilter,
): ThreadSource {
  if (documents !== undefined) return { by: 'documents', documents, covers };
  if (filter.annotationIds !== undefined) return { by: 'annotationIds', annotationIds: filter.annotationIds };
  if (filter.creators !== undefined) return { by: 'creators', creators: filter.creators };
  return { by: 'organization' };
}
