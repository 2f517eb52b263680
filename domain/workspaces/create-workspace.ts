import type { EntityManager } from '../../platform/database/orm.ts';
import type { AadContext, KeyRing } from '../../platform/encryption/key-ring.ts';
import { randomToken, sha256 } from '../../platform/encryption/tokens.ts';
import { Workspace } from './workspace.entity.ts';

export interface NewWorkspace {
  readonly ownerEmail: string;
  readonly ownerName?: string | undefined;
  readonly workspaceName?: string | undefined;
  readonly avatar?: string | undefined;
}

/** A workspace in its owner's response, with its auth token in plain text. */
export interface WorkspaceView {
  readonly id: string;
  readonly name: string;
  readonly ownerEmail: string;
  readonly authToken: string;
}

/** The AAD context of a workspace token. */
export const workspaceTokenContext = (workspaceId: string): AadContext => ({
  table: 'workspace',
  column: 'token_enc',
  row: workspaceId,
  tenant: workspaceId,
});

export const localPart = (email: string): string => email.slice(0, email.lastIndexOf('@'));

/** Creates a workspace without API keys. One e-mail address may own several workspaces. */
export function createWorkspace(em: EntityManager, keyRing: KeyRing, request: NewWorkspace): WorkspaceView {
  const publicId = randomToken('ws');
  const authToken = randomToken('wst');
  const workspace = em.create(Workspace, {
    publicId,
    name: request.workspaceName ?? request.ownerName ?? localPart(request.ownerEmail),
    ownerEmail: request.ownerEmail,
    ownerName: request.ownerName ?? '',
    avatar: request.avatar ?? '',
    tokenHash: sha256(authToken),
    tokenEnc: keyRing.encrypt(authToken, workspaceTokenContext(publicId)),
  });
  return { id: publicId, name: workspace.name, ownerEmail: request.ownerEmail, authToken };
}
