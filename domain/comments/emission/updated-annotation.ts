import { required } from '../../../platform/process/required.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { NotificationLocation } from '../../notifications/decide-recipients.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import type { NamedUser } from '../comment.entity.ts';
import type { ChangedThread } from '../update-threads.ts';
import { sameJson, visibilityOf } from '../updated-thread.ts';
import type { ThreadChange, ThreadEventType } from './change.ts';
import type { RecipientLimit } from './choose-recipients.ts';
import { emitChunk } from './emit-changes.ts';
import { noneNotified, type Notified } from './notify.ts';
import { readEmitted } from './read-emitted.ts';

/** The flags of a call. */
export interface UpdateTriggers {
  readonly triggerNotification: boolean;
  readonly triggerActivities: boolean;
}

/** The threads that a call has updated. */
export interface UpdatedThreads extends UpdateTriggers {
  readonly threads: readonly ChangedThread[];
  /** Defined when a flag is true. */
  readonly actor: NamedUser | undefined;
  readonly limit: RecipientLimit;
}

/**
 * Emits each change of updated threads, except replaced users. Returns the recipients written, and those left to a job.
 */
export async function emitUpdates(
  em: EntityManager,
  tenant: Tenant,
  location: NotificationLocation,
  { threads, actor, limit, triggerNotification, triggerActivities }: UpdatedThreads,
): Promise<Notified> {
  if (actor === undefined || !(triggerNotification || triggerActivities)) return noneNotified;
  const changed = threads.flatMap((thread) => {
    const changes = changesOf(thread);
    return changes.length === 0 ? [] : [{ thread: thread.before.id, changes }];
  });
  const emitted = await readEmitted(
    em,
    changed.map(({ thread }) => thread),
  );
  const all = changed.flatMap(({ thread, changes }) => {
    const state = required(emitted.get(thread), 'row of an updated thread');
    return changes.map((change): ThreadChange => ({
      ...change,
      ...state,
      actor,
      triggerNotification,
      triggerActivities,
    }));
  });
  return emitChunk(em, tenant, location, all, limit);
}

type Change = Pick<ThreadChange, 'data' | 'changes' | 'named'> & {
  readonly type: ThreadEventType;
};

function changesOf(thread: ChangedThread): Change[] {
  return [
    statusChange(thread),
    priorityChange(thread),
    assignment(thread),
    suggestionChange(thread),
    visibilityChange(thread),
  ].filter((change) => change !== undefined);
}

function statusChange({ replaced, after }: ChangedThread): Change | undefined {
  const [from, to] = [replaced.body.status, after.body.status];
  if (sameJson(from, to)) return undefined;
  return {
    type: 'comment_annotation.status_change',
    data: { oldStatus: from, newStatus: to },
    changes: { status: { from, to } },
    named: [],
  };
}

function priorityChange({ replaced, after }: ChangedThread): Change | undefined {
  const [from, to] = [replaced.body.priority ?? null, after.body.priority ?? null];
  if (sameJson(from, to)) return undefined;
  return {
    type: 'comment_annotation.priority_change',
    data: { oldPriority: from, newPriority: to },
    changes: { priority: { from, to } },
    named: [],
  };
}

/** The change of the assignee. Another profile of the same user is no change. */
function assignment({ replaced, after }: ChangedThread): Change | undefined {
  const [from, to] = [replaced.body.assignedTo ?? null, after.body.assignedTo ?? null];
  if (from?.userId === to?.userId) return undefined;
  return {
    type: 'comment_annotation.assign',
    data: { assignedTo: to },
    changes: { assignedTo: { from, to } },
    named: [from, to].flatMap((user) => user?.userId ?? []),
  };
}

function suggestionChange({ replaced, after }: ChangedThread): Change | undefined {
  const { suggestion: status } = after;
  if (status === replaced.suggestion || status === null || status === 'pending') return undefined;
  const suggestion = { ...after.body.suggestion, status };
  return {
    type:
      status === 'accepted' ? 'comment_annotation.suggestion_accept' : 'comment_annotation.suggestion_reject',
    data: { suggestion },
    changes: {
      suggestion: { from: { ...replaced.body.suggestion, status: replaced.suggestion }, to: suggestion },
    },
    named: [],
  };
}

function visibilityChange({ replaced, after }: ChangedThread): Change | undefined {
  const [from, to] = [visibilityOf(replaced.body), visibilityOf(after.body)];
  if (sameJson(from, to)) return undefined;
  return {
    type: 'comment_annotation.access_mode_change',
    data: { oldVisibility: from, newVisibility: to },
    changes: { visibility: { from, to } },
    named: [],
  };
}
