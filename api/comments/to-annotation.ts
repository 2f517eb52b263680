import type { z } from 'zod';
import type { AnnotationInput } from '../../domain/comments/prepare-annotation.ts';
import { openStatus } from '../../domain/comments/thread.ts';
import type { ThreadBody, Visibility } from '../../domain/comments/thread.entity.ts';
import { withIds } from '../cross-resource/with-ids.ts';
import type { annotationInput, visibility } from './annotation-input.ts';
import { toCommentInput } from './comment-input.ts';

type Sent = z.output<typeof annotationInput>;

/** Members that are stored and returned, and have no other effect. */
const displayMembers = [
  'isPageAnnotation',
  'positionX',
  'positionY',
  'screenWidth',
  'screenHeight',
  'screenScrollHeight',
  'screenScrollTop',
] as const satisfies readonly (keyof Sent)[];

/** The annotations of a call by id; of two with one id, the last counts. Ids are generated before any check. */
export function toAnnotations(sent: readonly Sent[], organizationId: string): AnnotationInput[] {
  const made = withIds(
    'ann',
    sent,
    ({ annotationId }) => annotationId,
    (annotation, id, index) => toAnnotation(annotation, { id, index }, organizationId),
  );
  return [...new Map(made.map((annotation) => [annotation.annotationId, annotation])).values()];
}

function toAnnotation(
  sent: Sent,
  { id, index }: { readonly id: string; readonly index: number },
  organizationId: string,
): AnnotationInput {
  const { annotationId, type, createdAt, lastUpdated } = sent;
  const comments = (sent.commentData ?? sent.comments ?? []).map(toCommentInput);
  const first = comments[0]?.body;
  const display = displayMembers.flatMap((name) =>
    sent[name] === undefined ? [] : [[name, sent[name]] as const],
  );
  const body = {
    from: first?.from,
    location: sent.location,
    targetElement: sent.targetElement,
    status: sent.status ?? openStatus,
    priority: sent.priority,
    assignedTo: sent.assignedTo,
    commentType: sent.commentType,
    suggestion: type === 'suggestion' ? withoutStatus(sent.suggestion) : undefined,
    visibilityConfig: toVisibility(sent.visibility, organizationId),
    context: sent.context,
    pageInfo: sent.pageInfo,
    actions: sent.actions,
    display: display.length === 0 ? undefined : Object.fromEntries(display),
    agent: first?.agent,
  };
  return {
    annotationId: id,
    idSent: annotationId !== undefined,
    index,
    kind: type,
    body: body as ThreadBody,
    comments,
    createdAt,
    lastUpdated,
  };
}

/** The status of a suggestion is a column. */
function withoutStatus(sent: object | undefined): object | undefined {
  if (sent === undefined) return undefined;
  const { status: _status, ...rest } = sent as { readonly status?: unknown };
  return rest;
}

/** Returns undefined for `public`. An `organizationPrivate` annotation without organizations gets that of the call. */
export function toVisibility(
  sent: z.output<typeof visibility> | undefined,
  organizationId: string,
): Visibility | undefined {
  switch (sent?.type) {
    case 'organizationPrivate':
      return {
        type: sent.type,
        organizationIds: sent.organizationIds ?? [sent.organizationId ?? organizationId],
      };
    case 'restricted':
      return { type: sent.type, userIds: sent.userIds };
    default:
      return undefined;
  }
}
