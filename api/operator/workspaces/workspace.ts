import { z } from 'zod';
import type { WorkspaceDetails } from '../../../domain/workspaces/list-keys.ts';
import { milliseconds, text } from '../../schemas.ts';

export const workspaceId = text(200).min(1);

/** A workspace as operators see it. */
export const workspaceResponse = z.strictObject({
  workspaceId: z.string(),
  name: z.string(),
  ownerEmail: z.string(),
  createdAt: milliseconds,
  disabledAt: milliseconds.nullable(),
});

export const workspaceView = ({
  id: _id,
  ...workspace
}: WorkspaceDetails): z.input<typeof workspaceResponse> => ({
  ...workspace,
  createdAt: workspace.createdAt.getTime(),
  disabledAt: workspace.disabledAt?.getTime() ?? null,
});
