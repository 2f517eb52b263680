import { isDeepStrictEqual } from 'node:util';
import type { NamedUser } from './comment.entity.ts';
import type {
  Priority,
  SuggestionStatus,
  ThreadBody,
  ThreadKind,
  ThreadStatus,
  Visibility,
} from './thread.entity.ts';

/** Members to replace, as sent; undefined members are kept, null removes one. Times are milliseconds since the epoch. */
export interface AnnotationUpdate {
  readonly location?: ThreadBody['location'];
  readonly targetElement?: object | undefined;
  readonly from?: NamedUser | undefined;
  readonly status?: ThreadStatus | undefined;
  readonly statusUpdatedByUserId?: string | null | undefined;
  readonly resolvedByUserId?: string | null | undefined;
  readonly assignedTo?: NamedUser | null | undefined;
  readonly priority?: Priority | null | undefined;
  readonly context?: object | undefined;
  readonly suggestion?: (object & { readonly status?: SuggestionStatus | undefined }) | undefined;
  readonly visibility?: Visibility | undefined;
  readonly actions?: readonly object[] | undefined;
  readonly pageInfo?: object | undefined;
  readonly createdAt?: number | undefined;
  readonly lastUpdated?: number | undefined;
}

/** The state of a thread that an update may change, without the time of its last update. Users are surrogate keys. */
export interface ThreadState {
  readonly body: ThreadBody;
  /** Null for annotations that are no suggestion. */
  readonly suggestion: SuggestionStatus | null;
  readonly creator: string | null;
  readonly resolver: string | null;
  readonly statusUpdater: string | null;
  readonly createdAt: number;
}

const publicVisibility: Visibility = { type: 'public' };

export const visibilityOf = ({ visibilityConfig }: ThreadBody): Visibility =>
  visibilityConfig ?? publicVisibility;

/** The state after an update. `keyOf` returns the surrogate key of a user that the update names. */
export function updatedState(
  state: ThreadState,
  kind: ThreadKind,
  update: AnnotationUpdate,
  keyOf: (userId: string) => string,
): ThreadState {
  const { from, resolvedByUserId, statusUpdatedByUserId, createdAt = state.createdAt } = update;
  const replaced = (userId: string | null | undefined, stored: string | null): string | null => {
    if (userId === undefined) return stored;
    return userId === null ? null : keyOf(userId);
  };
  const body = updatedBody(state.body, kind, update);
  return {
    body,
    suggestion: state.suggestion === null ? null : (update.suggestion?.status ?? state.suggestion),
    creator: from === undefined ? state.creator : keyOf(from.userId),
    resolver: body.status.type === 'terminal' ? replaced(resolvedByUserId, state.resolver) : null,
    statusUpdater: replaced(statusUpdatedByUserId, state.statusUpdater),
    createdAt,
  };
}

function updatedBody(body: ThreadBody, kind: ThreadKind, update: AnnotationUpdate): ThreadBody {
  const { priority = body.priority, assignedTo = body.assignedTo, visibility } = update;
  const { status: _status, ...suggestion } = update.suggestion ?? {};
  const isSuggestion = kind !== 'comment' && update.suggestion !== undefined;
  // A suggestion without members is stored as an empty object or not at all.
  const hasMembers = Object.keys({ ...body.suggestion, ...suggestion }).length > 0;
  return {
    ...body,
    from: update.from ?? body.from,
    location: update.location ?? body.location,
    targetElement: update.targetElement ?? body.targetElement,
    status: update.status ?? body.status,
    priority: priority ?? undefined,
    assignedTo: assignedTo ?? undefined,
    suggestion: isSuggestion && hasMembers ? suggestion : body.suggestion,
    visibilityConfig:
      visibility === undefined || isSameVisibility(visibility, body.visibilityConfig)
        ? body.visibilityConfig
        : visibility.type === 'public'
          ? undefined
          : visibility,
    context: update.context ?? body.context,
    pageInfo: update.pageInfo ?? body.pageInfo,
    actions: update.actions ?? body.actions,
  };
}

/** The order of users and organizations has no meaning. */
const isSameVisibility = (one: Visibility, other: Visibility | undefined): boolean =>
  other !== undefined && sameJson(inOrder(one), inOrder(other));

const inOrder = ({ type, userIds, organizationIds }: Visibility): Visibility => ({
  type,
  userIds: userIds?.toSorted(),
  organizationIds: organizationIds?.toSorted(),
});

/** Whether two JSON values are equal. Ignores the order of keys, and undefined members. */
export const sameJson = (one: unknown, other: unknown): boolean =>
  isDeepStrictEqual(plain(one), plain(other));

const plain = (value: unknown): unknown =>
  value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
