import type { ActivityLogBody } from '../../activity-logs/activity-log.entity.ts';
import type { NotificationBody } from '../../notifications/notification.entity.ts';
import { headlineValues } from '../../thread-headlines.ts';
import { namedPeople, type NamedPeople } from '../../users/named-users.ts';
import { shownText } from '../../users/shown-text.ts';
import { addUsersInThreads } from '../../users/users-in-threads.ts';
import { annotationHead } from '../annotation-view.ts';
import type { ThreadRow } from '../thread-page.ts';
import type { ThreadBody } from '../thread.entity.ts';
import { emissionOf, type ThreadChange } from './change.ts';
import type { EmittedThread } from './read-emitted.ts';

/** Max JSON bytes of an annotation in an event, and of its visibility: a call may emit a thousand events of one thread. */
const maxAnnotationBytes = 16_384;

/** The organization and document of a call, by the customer's ids. */
interface Location {
  readonly organizationId: string;
  readonly documentId: string;
}

/** The data of an event. Contains no API key. */
export function eventData(
  location: Location,
  change: ThreadChange,
  { annotation, visibility, truncated }: RenderedAnnotation,
  at: number,
): object {
  const { thread, actor, comment, data } = change;
  return {
    actionUser: actor,
    commentAnnotation: annotation,
    commentAnnotationId: thread.ext_id,
    ...(comment !== undefined && { targetComment: comment.view }),
    ...data,
    metadata: location,
    timestamp: at,
    ...(visibility !== undefined && { visibility }),
    ...(truncated && { truncated }),
  };
}

/** The activity log of a change. */
export function activityLogBody(change: ThreadChange, { annotation }: RenderedAnnotation): ActivityLogBody {
  const { type, actor, thread, comment, changes } = change;
  return {
    featureType: 'comment',
    actionType: type,
    actionUser: actor,
    targetEntityId: thread.ext_id,
    ...(comment !== undefined && {
      targetSubEntityId: String(comment.commentId),
      entityTargetData: comment.view,
    }),
    ...(changes !== undefined && { changes }),
    entityData: annotation,
  };
}

/** The notification of a change; undefined for a change without one. */
export function notificationBody(change: ThreadChange): NotificationBody | undefined {
  const { type, actor, thread, comment, data = {} } = change;
  const { headline } = emissionOf(type);
  if (headline === null) return undefined;
  const { location } = thread.body;
  return {
    notificationSource: 'comment',
    actionUser: actor,
    displayHeadlineMessageTemplate: headline,
    displayHeadlineMessageTemplateData: { ...headlineValues(data), actionUser: actor },
    displayBodyMessage: comment === undefined ? '' : shownText(comment.text, comment.tagged),
    notificationSourceData: {
      annotationId: thread.ext_id,
      ...(comment !== undefined && { commentId: comment.commentId }),
      actionType: type,
    },
    ...(location !== undefined && { location: notifiedLocation(location) }),
  };
}

/** Removes the free member `locationId`, under which the notification would otherwise be filed. */
function notifiedLocation({
  locationId: _free,
  ...location
}: NonNullable<ThreadBody['location']>): NotificationBody['location'] {
  return { ...location, id: String(location.id) };
}

/** An annotation without its comments, for events and activity logs. */
export interface RenderedAnnotation {
  readonly annotation: object;
  /** Undefined when every user may see the annotation. */
  readonly visibility: object | undefined;
  /** Whether members were removed, because the annotation or its visibility exceeded the limit. */
  readonly truncated: boolean;
  /** The people that the annotation and its visibility name. */
  readonly people: NamedPeople;
}

/** Renders the annotations of changes, each thread once: a call may change 1,000 comments of one thread. */
export function annotationsOf(location: Location): (change: EmittedThread) => RenderedAnnotation {
  const rendered = new Map<ThreadRow, RenderedAnnotation>();
  return (change) => {
    const found = rendered.get(change.thread) ?? renderedAnnotation(location, change);
    rendered.set(change.thread, found);
    return found;
  };
}

function renderedAnnotation(location: Location, thread: EmittedThread): RenderedAnnotation {
  const full = fullAnnotation(location, thread);
  const [annotation = full] = [full, withoutFree(full)].filter(fits).concat(identityOf(full));
  const { visibilityConfig: config } = thread.thread.body;
  const all = config === undefined || config.type === 'public' ? undefined : config;
  const visibility = all === undefined || fits(all) ? all : { type: all.type };
  const people = namedPeople(annotation, visibility);
  addUsersInThreads(people.userIds, [annotation, visibility]);
  return { annotation, visibility, truncated: annotation !== full || visibility !== all, people };
}

const fits = (part: object): boolean => Buffer.byteLength(JSON.stringify(part)) <= maxAnnotationBytes;

type Annotation = ReturnType<typeof fullAnnotation>;

function fullAnnotation({ organizationId }: Location, { thread, people }: EmittedThread) {
  const { metadata, ...members } = annotationHead(organizationId, thread, people);
  return { ...members, commentsCount: thread.comment_count, metadata };
}

/** An annotation without its free members and the values of its suggestion. */
function withoutFree(annotation: Annotation): object {
  const { targetElement: _element, pageInfo: _page, context: _context, ...rest } = annotation;
  const {
    oldValue: _old,
    newValue: _new,
    ...suggestion
  } = (rest.suggestion ?? {}) as Record<string, unknown>;
  return { ...rest, ...(rest.suggestion !== undefined && { suggestion }) };
}

/** The ids, names, times and statuses of an annotation: less than 32 KiB. */
function identityOf(annotation: Annotation): object {
  const { status, priority, suggestion, visibilityConfig, from, assignedTo } = annotation;
  const { annotationId, type, commentType, locationId, commentsCount, sourceType } = annotation;
  const { createdAt, lastUpdated, resolvedByUserId, statusUpdatedByUserId, metadata } = annotation;
  return {
    annotationId,
    type,
    commentType,
    locationId,
    status: { id: status.id, name: status.name, type: status.type },
    priority: priority && { id: priority.id, name: priority.name },
    ...(suggestion !== undefined && { suggestion: { status: suggestion['status'] } }),
    visibilityConfig: { type: visibilityConfig.type },
    from: from && { userId: from.userId },
    assignedTo: assignedTo && { userId: assignedTo.userId },
    resolvedByUserId,
    statusUpdatedByUserId,
    commentsCount,
    sourceType,
    createdAt,
    lastUpdated,
    metadata,
  };
}
