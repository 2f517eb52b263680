import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '../../platform/database/orm.ts';
import { now } from '../columns.ts';
import { endKeySessions, endWorkspaceSessions } from '../console/sessions.ts';
import { failedPrecondition, notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import { tablesOf } from '../tables.ts';
import type { ApiKey } from '../workspaces/api-key.entity.ts';
import { lockKey, type KeyRef } from '../workspaces/lock-key.ts';
import { Workspace } from '../workspaces/workspace.entity.ts';
import { resumeKeys, type Resumed } from './resume-keys.ts';

/** A change of a key's state. */
export interface KeyChange {
  readonly key: ApiKey;
  readonly before: KeyState;
  readonly after: KeyState;
}

/** Times are milliseconds since the epoch. */
export type KeyState = ReturnType<typeof stateOf>;

const stateOf = ({ disabledAt, disabledBy }: ApiKey) => ({
  disabledAt: disabledAt?.getTime() ?? null,
  disabledBy: disabledBy ?? null,
});

const actorOf = (key: KeyRef): 'operator' | 'workspace' => ('keyId' in key ? 'operator' : 'workspace');

/**
 * Disables a key in every process from the commit on, and ends the console sessions of its tokens. A disabled key stays
 * disabled, but an operator replaces its workspace as the disabler. Throws NOT_FOUND.
 */
export async function disableKey(em: EntityManager, ref: KeyRef): Promise<KeyChange> {
  const key = await lockKey(em, ref);
  const before = stateOf(key);
  key.disable(actorOf(ref));
  await em.flush();
  await em.refresh(key);
  await endKeySessions(em, key.id);
  return { key, before, after: stateOf(key) };
}

/**
 * Enables a key from the commit on, and resumes its jobs and deliveries. `kinds`: kinds of endpoint rows that are
 * served. Throws NOT_FOUND, and FAILED_PRECONDITION to a workspace when an operator disabled the key.
 */
export async function enableKey(
  em: EntityManager,
  ref: KeyRef,
  kinds: readonly number[],
): Promise<KeyChange & { readonly resumed: Resumed }> {
  const key = await lockKey(em, ref);
  if (key.disabledBy === 'operator' && actorOf(ref) === 'workspace')
    throw failedPrecondition(messages.apiKeyDisabledByOperator);
  const before = stateOf(key);
  key.enable();
  await em.flush();
  return { key, before, after: stateOf(key), resumed: await resumeKeys(em, { id: key.id }, kinds) };
}

/**
 * Disables a workspace with its keys in every process from the commit on, and ends their console sessions. Throws
 * NOT_FOUND.
 */
export async function disableWorkspace(
  em: EntityManager,
  workspaceId: string,
): Promise<{ readonly before: Date | null }> {
  const workspace = await lockWorkspace(em, workspaceId);
  const before = workspace.disabledAt ?? null;
  await setDisabledAt(em, workspace, before ?? now());
  await endWorkspaceSessions(em, workspace.id);
  return { before };
}

/**
 * Enables a workspace, and resumes jobs and deliveries of its keys. A key that was disabled by itself stays disabled.
 * `kinds`: kinds of endpoint rows that are served. Throws NOT_FOUND.
 */
export async function enableWorkspace(
  em: EntityManager,
  workspaceId: string,
  kinds: readonly number[],
): Promise<{ readonly before: Date | null; readonly resumed: Resumed }> {
  const workspace = await lockWorkspace(em, workspaceId);
  const before = workspace.disabledAt ?? null;
  await setDisabledAt(em, workspace, null);
  return { before, resumed: await resumeKeys(em, { workspaceId: workspace.id }, kinds) };
}

/** The lock and calls that create a key exclude each other; no other call locks the workspace. */
async function lockWorkspace(em: EntityManager, publicId: string): Promise<Workspace> {
  // FOR UPDATE: release 0.2.0 creates keys under KEY SHARE, which NO KEY UPDATE would not exclude. The release after 0.3.0,
  // which does not run beside 0.2.0, can lock as `createApiKey` does.
  const workspace = await em.findOne(Workspace, { publicId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (workspace === null) throw notFound(messages.workspaceMissing);
  return workspace;
}

/** Null enables. Each key of the workspace holds the same time, so that calls read one row. */
async function setDisabledAt(
  em: EntityManager,
  workspace: Workspace,
  disabledAt: Date | null,
): Promise<void> {
  workspace.disabledAt = disabledAt;
  await em.flush();
  await tablesOf(em)
    .updateTable('api_key')
    .set((key) => ({
      workspace_disabled_at: key.selectFrom('workspace').select('disabled_at').where('id', '=', workspace.id),
    }))
    .where('workspace_id', '=', workspace.id)
    .execute();
}
