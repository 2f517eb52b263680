import { z } from 'zod';
import {
  permissionProviderKind,
  permissionProviderWarning,
} from '../../domain/configuration/kinds/permission-provider.ts';
import { configurationOperations, configurationMessages } from './configuration.ts';
import { flag, hasNoCredentialsOrFragment, secretText, urlOrEmpty } from './members.ts';

export const permissionProviderConfiguration = configurationOperations({
  kind: permissionProviderKind,
  path: 'permissionproviderconfig',
  summaries: {
    get: 'Returns whether your own permission provider decides access, and its URL.',
    update: 'Turns your own permission provider on or off. While on, it decides all access.',
  },
  messages: configurationMessages('Permission provider'),
  emptyUpdateMessage: 'At least one of usePermissionProvider or permissionProviderConfig must be provided',
  update: z.strictObject({
    usePermissionProvider: flag,
    permissionProviderConfig: z
      .strictObject({
        permissionProviderUrl: urlOrEmpty(hasNoCredentialsOrFragment).optional(),
        authToken: secretText,
      })
      .optional(),
  }),
  example: {
    usePermissionProvider: true,
    permissionProviderConfig: { permissionProviderUrl: 'https://permissions.example.com/check' },
  },
  response: z.strictObject({
    usePermissionProvider: z.boolean(),
    permissionProviderConfig: z.strictObject({ permissionProviderUrl: z.string(), authToken: z.string() }),
    warning: z.string().optional(),
  }),
  toChange: (sent) => sent,
  view: (config) => ({ ...config, warning: permissionProviderWarning(config) }),
});
