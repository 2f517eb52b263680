import { readThreadsById } from '../../domain/comments/read-threads-by-id.ts';
import {
  maxContents,
  readThreads,
  type ThreadPage,
  type ThreadPosition,
  type ThreadQuery,
  type ThreadRow,
} from '../../domain/comments/read-threads.ts';
import { documentFrom } from '../../domain/comments/resolve-query.ts';
import type { ResolvedOrganization } from '../../domain/organizations/resolve-organization.ts';
import type { PageLimit } from '../../domain/page-limit.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { Grouped } from '../http/response/list.ts';
import type { PageReader, Position } from '../http/response/page-reader.ts';
import type { AnnotationView } from './get-annotations.ts';
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
  return inOneSnapshot(reading.em, async (em, position, limit) => {
    const after = position && positionAt(position);
    const page = await readThreads(em, organization, query, { after, limit, contents: left.max() });
    left.add(page.threads);
    return {
      items: await rendered(em, page.threads),
      next: page.next && [page.next.updatedAt, page.next.id],
      // The limit of comments and reactions also ends a page.
      cut: page.cut && (page.threads.length === 0 || left.max() > 0),
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

/** Max documents that one chunk of a page searches for matching annotations. */
const maxDocuments = 30;

/** Pages document by document, in the order of their ids; within each as `annotationPages`. */
export function annotationGroups(reading: AnnotationReading): PageReader<Grouped<AnnotationView>> {
  const left = contentsLeft(reading.streams);
  return inOneSnapshot(reading.em, async (em, position, limit) => {
    let next = position;
    for (let looked = 0; looked < maxDocuments; looked += 1) {
      const before = next;
      const chunk = await nextOfDocument({ ...reading, em }, before, { limit, contents: left.max() });
      if (chunk === undefined) return { items: [], next: undefined, cut: false };
      ({ next } = chunk);
      if (chunk.threads.length === 0) {
        // The first annotation does not fit: it is read again alone, or begins the next page.
        if (chunk.cut) return { items: [], next: before, cut: true };
        // None of the annotations that one page examines matches.
        if (!chunk.ended) return { items: [], next, cut: false };
        continue;
      }
      left.add(chunk.threads);
      const views = await reading.rendered(em, chunk.threads);
      const continues = chunk.ended ? views.length < limit.rows : chunk.cut;
      return {
        items: views.map((item) => ({ group: chunk.documentId, item })),
        next,
        // A page continues with the next document until a limit ends it.
        cut: continues && left.max() > 0,
      };
    }
    return { items: [], next, cut: false };
  });
}

interface DocumentChunk extends Pick<ThreadPage, 'threads' | 'cut'> {
  readonly documentId: string;
  readonly next: Position;
  /** The document has no further matching annotations. */
  readonly ended: boolean;
}

/** Reads the next annotations of the first document at or after a position; undefined at the end. */
async function nextOfDocument(
  { em, organization, query, documents }: AnnotationReading,
  position: Position | undefined,
  limits: { readonly limit: PageLimit; readonly contents: number },
): Promise<DocumentChunk | undefined> {
  const [documentId = '', ...after] = position ?? [];
  const from = { documentId: String(documentId), inclusive: after.length > 0 };
  const document = await documentFrom(em, organization, documents, from);
  if (document === undefined) return undefined;
  const starts = after.length > 0 && document.ext_id === documentId ? positionAt(after) : undefined;
  const covers = query.source.by === 'documents' ? query.source.covers : undefined;
  const source = { by: 'documents', documents: [document.id], covers } as const;
  const page = await readThreads(em, organization, { ...query, source }, { after: starts, ...limits });
  const { threads, cut, next } = page;
  const following = next === undefined ? [] : [next.updatedAt, next.id];
  return {
    threads,
    cut,
    documentId: document.ext_id,
    next: [document.ext_id, ...following],
    ended: next === undefined && !cut,
  };
}
