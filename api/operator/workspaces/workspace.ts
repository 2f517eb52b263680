import { z } from 'zod';
import type { WorkspaceDetails } from '../../../domain/workspaces/read-workspaces.ts';
import { milliseconds, text } from '../../schemas.ts';

export const workspaceId = text(200).min(1).describe('Id of the workspace, `ws_…`, max 200 characters.');

/** A workspace as operators see it. */
export const workspaceResponse = z
  .strictObject({
    workspaceId: z.string().describe('Id of the workspace, `ws_…`.'),
    name: z.string().describe('Name of the workspace.'),
    ownerEmail: z.string().describe('E-mail address of the owner.'),
    createdAt: milliseconds.describe('When the workspace was created, in milliseconds since the epoch.'),
    disabledAt: milliseconds
      .nullable()
      .describe('When the workspace was disabled, in milliseconds since the epoch. Null when it is not.'),
  })
  .meta({ id: 'OperatorWorkspace' });

export const workspaceView = ({
  id: _id,
  ...workspace
}: WorkspaceDetails): z.input<typeof workspaceResponse> => ({
  ...workspace,
  createdAt: workspace.createdAt.getTime(),
  disabledAt: workspace.disabledAt?.getTime() ?? null,
});
