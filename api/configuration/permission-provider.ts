import { z } from 'zod';
import {
  permissionProviderKind,
  permissionProviderWarning,
} from '../../domain/configuration/kinds/permission-provider.ts';
import { configurationOperations, textsOf } from './configuration.ts';
import { flag, plain, secretText, urlOrEmpty } from './members.ts';

export const permissionProviderConfiguration = configurationOperations({
  kind: permissionProviderKind,
  path: 'permissionproviderconfig',
  summaries: {
    get: 'Reads whether your own permission provider decides who has access, and where it is.',
    update: 'Lets your own permission provider decide who has access, or stops asking it.',
  },
  messages: textsOf('Permission provider'),
  nothing: 'At least one of usePermissionProvider or permissionProviderConfig must be provided',
  update: z.strictObject({
    usePermissionProvider: flag,
    permissionProviderConfig: z
      .strictObject({ permissionProviderUrl: urlOrEmpty(plain).optional(), authToken: secretText })
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
