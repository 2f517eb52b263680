import { readGroupedThreads, type GroupPosition } from '../../domain/comments/read-grouped-threads.ts';
import { readThreadsById } from '../../domain/comments/read-threads-by-id.ts';
import { readThreads } from '../../domain/comments/read-threads.ts';
import { maxContents, type ThreadPosition, type ThreadRow } from '../../domain/comments/thread-page.ts';
import type { ThreadQuery } from '../../domain/comments/thread-range.ts';
import type { ResolvedOrganization } from '../../domain/organizations/resolve-organization.ts';
import { maxExamined } from '../../domain/page-limit.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { Grouped } from '../http/response/list-form.ts';
import type { PageReader, Position } from '../http/response/page-reader.ts';
import type { AnnotationView } from './annotation.ts';
import { inOneSnapshot } from './in-one-snapshot.ts';

/** A request for annotations with resolved ids. */
export interface AnnotationReading {
  readonly em: EntityManager;
  readonly organization: ResolvedOrganization;
  readonly query: ThreadQuery;
  /** Surrogate keys; undefined for all documents of the organization. */
  readonly documents: readonly string[] | undefined;
  /** Whether the whole list is streamed in chunks; the limit of comments then applies to each chunk. */
  readonly streams: boolean;
  readonly rendered: (em: EntityManager, threads: readonly ThreadRow[]) => Promise<AnnotationView[]>;
}

const positionAt = ([updatedAt, id]: Position): ThreadPosition => ({
  updatedAt: String(updatedAt),
  id: String(id),
});

/** Counts the comments and reactions of a page over its chunks. */
function contentsLeft(streams: boolean) {
  let read = 0;
  return {
    max: (): number => (streams ? maxContents : maxContents - read),
    add(threads: readonly ThreadRow[]): void {
      for (const { comment_count, reaction_count } of threads) read += comment_count + reaction_count;
    },
  };
}

/** Pages by lastUpdated, then order of writing. */
export function annotationPages(reading: AnnotationReading): PageReader<AnnotationView> {
  const { organization, query, streams, rendered } = reading;
  const left = contentsLeft(streams);
  let examined = 0;
  return inOneSnapshot(reading.em, async (em, position, limit) => {
    // A page that has examined its max ends: a further read would find nothing, as if no thread followed.
    if (examined >= maxExamined) return { items: [], next: position, cut: false };
    const after = position && positionAt(position);
    const paging = { after, limit, contents: left.max(), examined: maxExamined - examined };
    const page = await readThreads(em, organization, query, paging);
    left.add(page.threads);
    if (!streams) examined += page.examined;
    return {
      items: await rendered(em, page.threads),
      next: page.next && [page.next.updatedAt, page.next.id],
      // The limits of comments and reactions and of examined threads also end a page.
      cut: page.cut && (page.threads.length === 0 || (left.max() > 0 && examined < maxExamined)),
    };
  });
}

/** The annotations of one document by their ids, in this order; null for an unknown one. */
export function annotationsById(
  reading: AnnotationReading,
  document: string,
  annotationIds: readonly string[],
): PageReader<AnnotationView | null> {
  const { organization, query, rendered } = reading;
  const { updatedAfter, updatedBefore } = query;
  const filter = { ...query.filter, updatedAfter, updatedBefore };
  const location = { organization: organization.id, document };
  return inOneSnapshot(reading.em, async (em, position, limit) => {
    const from = Number(position?.[0] ?? 0);
    const { threads, cut } = await readThreadsById(em, location, annotationIds.slice(from), filter, limit);
    const views = await rendered(
      em,
      threads.filter((thread) => thread !== null),
    );
    const byId = new Map(views.map((view) => [view.annotationId, view]));
    const end = from + threads.length;
    return {
      items: threads.map((thread) => (thread === null ? null : (byId.get(thread.ext_id) ?? null))),
      next: end < annotationIds.length ? [end] : undefined,
      cut,
    };
  });
}

/** Pages document by document, in the order of their ids; within each as `annotationPages`. */
export function annotationGroups(reading: AnnotationReading): PageReader<Grouped<AnnotationView>> {
  const { organization, query, documents, streams, rendered } = reading;
  const left = contentsLeft(streams);
  const covers = query.source.by === 'documents' ? query.source.covers : undefined;
  const grouped = { ...query, documents, covers };
  let examined = 0;
  return inOneSnapshot(reading.em, async (em, position, limit) => {
    if (examined >= maxExamined) return { items: [], next: position, cut: false };
    const after = position && groupPositionAt(position);
    const paging = { after, limit, contents: left.max(), examined: maxExamined - examined };
    const page = await readGroupedThreads(em, organization, grouped, paging);
    left.add(page.threads);
    if (!streams) examined += page.examined;
    const views = await rendered(em, page.threads);
    return {
      items: views.map((item, at) => ({ group: page.threads[at]?.document_ext_id ?? '', item })),
      next: page.next && positionOfGroup(page.next),
      cut: page.cut && (page.threads.length === 0 || (left.max() > 0 && examined < maxExamined)),
    };
  });
}

/** A document id, followed by the position within the document unless it has no further annotations. */
const groupPositionAt = ([documentId, ...after]: Position): GroupPosition => ({
  documentId: String(documentId),
  after: after.length === 0 ? undefined : positionAt(after),
});

const positionOfGroup = ({ documentId, after }: GroupPosition): Position =>
  after === undefined ? [documentId] : [documentId, after.updatedAt, after.id];
