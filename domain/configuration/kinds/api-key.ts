import type { AccessType } from '../../tenancy/tenant.ts';
import type { ConfigurationKind } from '../kind.ts';

export const aiProviders = ['openai', 'anthropic', 'gemini'] as const;
export type AiProvider = (typeof aiProviders)[number];

export interface ApiKeyConfiguration {
  readonly enablePrivateComments: boolean;
  readonly requireJwtToken: boolean;
  readonly requireAutoOrgUser: boolean;
  readonly defaultDocumentAccessType: AccessType;
  readonly defaultFolderAccessType: AccessType;
  /** The customer's key at each provider; empty when not set. */
  readonly aiModelKeys: Readonly<Record<AiProvider, string>>;
}

export const apiKeyKind: ConfigurationKind<ApiKeyConfiguration> = {
  name: 'apikey',
  defaults: {
    enablePrivateComments: false,
    requireJwtToken: false,
    requireAutoOrgUser: false,
    defaultDocumentAccessType: 'public',
    defaultFolderAccessType: 'public',
    aiModelKeys: { openai: '', anthropic: '', gemini: '' },
  },
  secrets: [['aiModelKeys']],
  isOn: () => false,
};
