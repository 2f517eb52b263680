import type { EntityManager } from '../../platform/database/orm.ts';
import { endKeySessions, endWorkspaceSessions } from '../console/sessions.ts';
import {
  disableKey as disable,
  enableKey as enable,
  setWorkspaceDisabled,
  type KeyChange,
  type KeyRef,
} from '../workspaces/key-states.ts';
import { resumeKeys, type Resumed } from './resume-keys.ts';

/** Disables a key in every process from the commit on, and ends the console sessions of its tokens. Throws NOT_FOUND. */
export async function disableKey(em: EntityManager, ref: KeyRef): Promise<KeyChange> {
  const change = await disable(em, ref);
  await em.flush();
  await endKeySessions(em, change.key.id);
  return change;
}

/** Enables a key and resumes its jobs and deliveries. Throws NOT_FOUND and FAILED_PRECONDITION. */
export async function enableKey(
  em: EntityManager,
  ref: KeyRef,
): Promise<KeyChange & { readonly resumed: Resumed }> {
  const change = await enable(em, ref);
  await em.flush();
  return { ...change, resumed: await resumeKeys(em, { id: change.key.id }) };
}

/** Enables a workspace, and resumes jobs and deliveries of its keys. A key that was disabled by itself stays disabled. */
export async function enableWorkspace(
  em: EntityManager,
  workspaceId: string,
): Promise<{ readonly before: Date | null; readonly resumed: Resumed }> {
  const { workspace, before } = await setWorkspaceDisabled(em, workspaceId, false);
  await em.flush();
  return { before, resumed: await resumeKeys(em, { workspaceId: workspace.id }) };
}

/** Disables a workspace with its keys in every process from the commit on, and ends their console sessions. */
export async function disableWorkspace(
  em: EntityManager,
  workspaceId: string,
): Promise<{ readonly before: Date | null }> {
  const { workspace, before } = await setWorkspaceDisabled(em, workspaceId, true);
  await em.flush();
  await endWorkspaceSessions(em, workspace.id);
  return { before };
}
