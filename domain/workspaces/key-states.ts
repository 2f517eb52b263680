import type { EntityManager } from '../../platform/database/orm.ts';
import { sha256 } from '../../platform/encryption/tokens.ts';
import { failedPrecondition, notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import { tablesOf } from '../tables.ts';
import type { ApiKey } from './api-key.entity.ts';
import { lockKeyRow } from './lock-key.ts';
import { Workspace } from './workspace.entity.ts';

/** A key as its caller names it: operators use the public id, workspaces the key itself. */
export type KeyRef =
  { readonly keyId: string } | { readonly workspace: { readonly id: string }; readonly apiKey: string };

const disablerOf = (key: KeyRef): 'operator' | 'workspace' => ('keyId' in key ? 'operator' : 'workspace');

/** Finds a key that is not deleted, and locks it until the end of the transaction. Throws NOT_FOUND. */
export async function lockKey(em: EntityManager, key: KeyRef): Promise<ApiKey> {
  return lockKeyRow(
    em,
    'apiKey' in key
      ? { workspace_id: key.workspace.id, key_hash: sha256(key.apiKey) }
      : { public_id: key.keyId },
  );
}

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

/**
 * Disables a key in every process from the commit on. A disabled key stays disabled, but an operator replaces its
 * workspace as the disabler.
 */
export async function disableKey(em: EntityManager, ref: KeyRef): Promise<KeyChange> {
  const key = await lockKey(em, ref);
  const before = stateOf(key);
  key.disable(disablerOf(ref));
  return { key, before, after: stateOf(key) };
}

/** Enables a key from the commit on. Throws FAILED_PRECONDITION to a workspace when an operator disabled the key. */
export async function enableKey(em: EntityManager, ref: KeyRef): Promise<KeyChange> {
  const key = await lockKey(em, ref);
  if (key.disabledBy === 'operator' && disablerOf(ref) === 'workspace')
    throw failedPrecondition(messages.apiKeyDisabledByOperator);
  const before = stateOf(key);
  key.enable();
  return { key, before, after: stateOf(key) };
}

/**
 * Disables or enables a workspace and all of its keys in every process, from the commit on. The lock and calls that
 * create a key exclude each other; no other call locks the workspace. Throws NOT_FOUND.
 */
export async function setWorkspaceDisabled(
  em: EntityManager,
  publicId: string,
  disabled: boolean,
): Promise<{ readonly workspace: Workspace; readonly before: Date | null }> {
  const row = await tablesOf(em)
    .selectFrom('workspace')
    .selectAll()
    .where('public_id', '=', publicId)
    // Release 0.2.0 creates keys under KEY SHARE, which NO KEY UPDATE would not exclude. The release after 0.3.0, which
    // does not run beside 0.2.0, can lock as `createApiKey` does.
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) throw notFound(messages.workspaceMissing);
  const workspace = em.map(Workspace, row);
  const before = workspace.disabledAt ?? null;
  workspace.disabledAt = disabled ? (workspace.disabledAt ?? new Date()) : null;
  await tablesOf(em)
    .updateTable('api_key')
    .set({ workspace_disabled_at: workspace.disabledAt })
    .where('workspace_id', '=', workspace.id)
    .execute();
  return { workspace, before };
}
