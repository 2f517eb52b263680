import { z } from 'zod';
import { aiProviders, apiKeyKind, type AiProvider } from '../../domain/configuration/kinds/api-key.ts';
import { apiKeyOwner } from '../../domain/workspaces/read-api-key.ts';
import { accessType, records } from '../schemas.ts';
import { configurationOperations } from './configuration.ts';
import { flag, mask, unmasked } from './members.ts';

const aiModelKey = z.strictObject({
  provider: z.enum(aiProviders).describe('AI provider of the key.'),
  customerApiKey: unmasked('customerApiKey').describe(
    'Stored encrypted and returned masked. An empty value removes the key of the provider.',
  ),
});

const maskedKeys = (keys: Readonly<Record<AiProvider, string>>) =>
  aiProviders
    .filter((provider) => keys[provider] !== '')
    .map((provider) => ({ provider, customerApiKey: mask(keys[provider]) }));

export const apiKeyConfiguration = configurationOperations({
  kind: apiKeyKind,
  path: 'apikeyconfig',
  summaries: {
    get: 'Returns the settings of the API key: default access types, masked AI provider keys, owner.',
    update: 'Updates the settings of the API key: default access types, AI provider keys.',
  },
  descriptions: {
    get: 'Returns every field, with defaults before the first update. Keys of AI providers are masked.',
    update:
      'Fields that are not sent keep their value. A changed default access type applies at once to all ' +
      'documents and folders that inherit it. A masked key, and an update without a known field, fail with ' +
      '`INVALID_ARGUMENT`. Emits no event; the audit log records the call, without secrets.',
  },
  messages: {
    get: 'API key metadata retrieved successfully.',
    update: 'API key configuration updated successfully.',
  },
  emptyUpdateMessage: 'At least one field must be provided for update',
  update: z.strictObject({
    enablePrivateComments: flag.describe('Whether annotations may have a visibility other than `public`.'),
    requireJwtToken: flag.describe('Whether your front end must send a token. Stored for your own use.'),
    requireAutoOrgUser: flag.describe(
      'Whether users are added to the organization automatically. Stored for your own use.',
    ),
    defaultDocumentAccessType: accessType.optional().describe('Access type of documents that inherit none.'),
    defaultFolderAccessType: accessType.optional().describe('Access type of folders that inherit none.'),
    aiModelApiKey: records(aiModelKey, 'provider', { max: aiProviders.length })
      .optional()
      .describe('Keys of AI providers, max 3. Providers that are not sent keep their key.'),
  }),
  example: {
    defaultDocumentAccessType: 'restricted',
    aiModelApiKey: [{ provider: 'openai', customerApiKey: 'sk-example' }],
  },
  response: z
    .strictObject({
      ownerEmail: z.string().describe('E-mail address of the owner of the API key.'),
      planInfo: z
        .strictObject({ type: z.literal('self-hosted').describe('Always `self-hosted`.') })
        .describe('Plan of the API key.'),
      isPrivateCommentsEnabled: z.boolean().describe('Whether private comments are allowed.'),
      requireJwtToken: z.boolean().describe('Whether your front end must send a token.'),
      requireAutoOrgUser: z.boolean().describe('Whether users are added to the organization automatically.'),
      defaultDocumentAccessType: accessType.describe('Access type of documents that inherit none.'),
      defaultFolderAccessType: accessType.describe('Access type of folders that inherit none.'),
      aiModelsConfig: z
        .partialRecord(
          z.enum(aiProviders),
          z.strictObject({ displayText: z.string().describe('Masked key: its first four characters.') }),
        )
        .describe('Masked key of each provider that has one.'),
      aiModelApiKey: z
        .array(
          z.strictObject({
            provider: z.enum(aiProviders).describe('AI provider of the key.'),
            customerApiKey: z.string().describe('Masked key: its first four characters.'),
          }),
        )
        .describe('Masked keys of the providers that have one.'),
    })
    .meta({ id: 'ApiKeyConfiguration' }),
  toChange: ({ aiModelApiKey, ...others }) => ({
    ...others,
    ...(aiModelApiKey && {
      aiModelKeys: Object.fromEntries(
        aiModelApiKey.map(({ provider, customerApiKey }) => [provider, customerApiKey]),
      ),
    }),
  }),
  view: async ({ aiModelKeys, enablePrivateComments, ...others }, { em, tenant }) => {
    const masked = maskedKeys(aiModelKeys);
    return {
      ownerEmail: await apiKeyOwner(em, tenant.id),
      planInfo: { type: 'self-hosted' as const },
      isPrivateCommentsEnabled: enablePrivateComments,
      ...others,
      aiModelsConfig: Object.fromEntries(
        masked.map(({ provider, customerApiKey }) => [provider, { displayText: customerApiKey }]),
      ),
      aiModelApiKey: masked,
    };
  },
});
