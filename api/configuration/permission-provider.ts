import { z } from 'zod';
import {
  permissionProviderKind,
  permissionProviderWarning,
} from '../../domain/configuration/kinds/permission-provider.ts';
import { configurationOperations, configurationMessages } from './configuration.ts';
import { flag, hasNoCredentialsOrFragment, headerSecret, urlOrEmpty } from './members.ts';

export const permissionProviderConfiguration = configurationOperations({
  kind: permissionProviderKind,
  path: 'permissionproviderconfig',
  summaries: {
    get: 'Returns whether your own permission provider decides access, and its URL.',
    update: 'Turns your own permission provider on or off.',
  },
  descriptions: {
    get: 'Returns every field, including the token. Before the first update, the fields have their defaults.',
    update:
      'While the provider is on, it decides all access. Fields that are not sent keep their value; an ' +
      'update also drops the cached responses of the provider. Steward calls the URL by POST, up to three ' +
      'times within 60 seconds, and denies access when the provider fails or the URL is empty. A private or ' +
      'reserved address is accepted here, and every call to it fails. An invalid URL, and an update without ' +
      'a known field, fail with `INVALID_ARGUMENT`. Emits no event; the audit log records the call, without ' +
      'secrets.',
  },
  messages: configurationMessages('Permission provider'),
  emptyUpdateMessage: 'At least one of usePermissionProvider or permissionProviderConfig must be provided',
  update: z.strictObject({
    usePermissionProvider: flag.describe('True lets your provider decide all access.'),
    permissionProviderConfig: z
      .strictObject({
        permissionProviderUrl: urlOrEmpty(hasNoCredentialsOrFragment)
          .optional()
          .describe(
            'URL that Steward calls: http or https, without credentials and fragment, max 2,048 characters, or ' +
              'empty.',
          ),
        authToken: headerSecret.describe(
          'Token that Steward sends as `Authorization: Bearer`, max 1,000 characters that a header can contain. ' +
            'Stored encrypted.',
        ),
      })
      .optional()
      .describe('Settings of the provider. Fields that are not sent keep their value.'),
  }),
  example: {
    usePermissionProvider: true,
    permissionProviderConfig: { permissionProviderUrl: 'https://permissions.example.com/check' },
  },
  response: z
    .strictObject({
      usePermissionProvider: z.boolean().describe('Whether your provider decides all access.'),
      permissionProviderConfig: z
        .strictObject({
          permissionProviderUrl: z.string().describe('URL that Steward calls. Empty when none was sent.'),
          authToken: z.string().describe('Token that Steward sends. Empty when none was sent.'),
        })
        .describe('Settings of the provider.'),
      warning: z
        .string()
        .optional()
        .describe('Present while the provider is on without a URL: access is then denied to everyone.'),
    })
    .meta({ id: 'PermissionProviderConfiguration' }),
  toChange: (sent) => sent,
  view: (config) => ({ ...config, warning: permissionProviderWarning(config) }),
});
