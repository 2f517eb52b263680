import { z } from 'zod';
import { aiProviders, apiKeyKind, type AiProvider } from '../../domain/configuration/kinds/api-key.ts';
import { accessTypes } from '../../domain/tenancy/tenant.ts';
import { apiKeyOwner } from '../../domain/workspaces/api-keys.ts';
import { accessType, records, text } from '../schemas.ts';
import { configurationOperations } from './configuration.ts';
import { flag } from './members.ts';

const maskEnd = '...xxxx';

/** Shows the first four characters; none of a key of four or fewer. */
export const mask = (key: string): string => `${key.length > 4 ? key.slice(0, 4) : ''}${maskEnd}`;

const aiModelKey = z.strictObject({
  provider: z.enum(aiProviders),
  customerApiKey: text(1_000)
    .refine((key) => !key.includes(maskEnd), { error: 'customerApiKey must not be a masked value.' })
    .describe('Stored encrypted and returned masked. An empty value removes the key of the provider.'),
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
  messages: {
    get: 'API key metadata retrieved successfully.',
    update: 'API key configuration updated successfully.',
  },
  emptyUpdateMessage: 'At least one field must be provided for update',
  update: z.strictObject({
    enablePrivateComments: flag,
    requireJwtToken: flag,
    requireAutoOrgUser: flag,
    defaultDocumentAccessType: accessType.optional(),
    defaultFolderAccessType: accessType.optional(),
    aiModelApiKey: records(aiModelKey, 'provider', aiProviders.length).optional(),
  }),
  example: {
    defaultDocumentAccessType: 'restricted',
    aiModelApiKey: [{ provider: 'openai', customerApiKey: 'sk-example' }],
  },
  response: z.strictObject({
    ownerEmail: z.string(),
    planInfo: z.strictObject({ type: z.literal('self-hosted') }),
    isPrivateCommentsEnabled: z.boolean(),
    requireJwtToken: z.boolean(),
    requireAutoOrgUser: z.boolean(),
    defaultDocumentAccessType: z.enum(accessTypes),
    defaultFolderAccessType: z.enum(accessTypes),
    aiModelsConfig: z.partialRecord(z.enum(aiProviders), z.strictObject({ displayText: z.string() })),
    aiModelApiKey: z.array(z.strictObject({ provider: z.enum(aiProviders), customerApiKey: z.string() })),
  }),
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
