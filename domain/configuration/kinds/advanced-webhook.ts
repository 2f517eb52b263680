import { failedPrecondition, invalidMember } from '../../errors.ts';
import { messages } from '../../messages.ts';
import type { ConfigurationKind } from '../kind.ts';
import { brokenKeyRule } from '../rsa-public-key.ts';

/** `encryptData` overrides `encodeData` and requires `publicKey`: PEM, or base64 of DER. */
export interface AdvancedWebhookConfiguration {
  readonly isEnabled: boolean;
  readonly encryptData: boolean;
  readonly encodeData: boolean;
  readonly enableDataProtection: boolean;
  readonly publicKey: string;
}

export const advancedWebhookKind: ConfigurationKind<AdvancedWebhookConfiguration> = {
  name: 'advancedwebhook',
  defaults: {
    isEnabled: false,
    encryptData: false,
    encodeData: false,
    enableDataProtection: false,
    publicKey: '',
  },
  secrets: [],
  isOn: ({ isEnabled }) => isEnabled,
  check({ enabledBefore, change, after }) {
    if (!enabledBefore && change.isEnabled !== true)
      throw failedPrecondition(messages.advancedWebhooksNotConfigured);
    const rule = brokenKeyRule(after);
    if (rule !== undefined) throw invalidMember('publicKey', `publicKey ${rule}`);
  },
};
