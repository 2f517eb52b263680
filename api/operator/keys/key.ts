import { z } from 'zod';
import { apiKeyTypes } from '../../../domain/workspaces/api-key.entity.ts';
import type { KeyDetails } from '../../../domain/workspaces/read-keys.ts';
import { milliseconds } from '../../schemas.ts';

/** An API key as operators see it. */
export const keyResponse = z
  .strictObject({
    keyId: z.string().describe('Public id of the API key, `akid_…`.'),
    workspaceId: z.string().describe('Id of the workspace of the key, `ws_…`.'),
    name: z.string().describe('Name of the key.'),
    type: z.enum(apiKeyTypes).describe('Use of the key.'),
    ownerEmail: z.string().describe('E-mail address of the owner of the key.'),
    createdAt: milliseconds.describe('When the key was created, in milliseconds since the epoch.'),
    disabledAt: milliseconds
      .nullable()
      .describe('When the key was disabled, in milliseconds since the epoch. Null when it is not.'),
    disabledBy: z
      .enum(['operator', 'workspace'])
      .nullable()
      .describe('Whether an operator or the workspace disabled the key. Null when it is not disabled.'),
    workspaceDisabledAt: milliseconds
      .nullable()
      .describe(
        'When the workspace of the key was disabled, in milliseconds since the epoch. Null when it is not.',
      ),
  })
  .meta({ id: 'OperatorKey' });

export const keyView = ({ id: _id, ...key }: KeyDetails): z.input<typeof keyResponse> => ({
  ...key,
  createdAt: key.createdAt.getTime(),
  disabledAt: key.disabledAt?.getTime() ?? null,
  workspaceDisabledAt: key.workspaceDisabledAt?.getTime() ?? null,
});
