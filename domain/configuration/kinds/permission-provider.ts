import type { ConfigurationKind } from '../kind.ts';

export interface PermissionProviderConfiguration {
  readonly usePermissionProvider: boolean;
  readonly permissionProviderConfig: { readonly permissionProviderUrl: string; readonly authToken: string };
}

export const permissionProviderKind: ConfigurationKind<PermissionProviderConfiguration> = {
  name: 'permissionprovider',
  defaults: {
    usePermissionProvider: false,
    permissionProviderConfig: { permissionProviderUrl: '', authToken: '' },
  },
  secrets: [['permissionProviderConfig', 'authToken']],
  isOn: ({ usePermissionProvider }) => usePermissionProvider,
};

/** Returns a warning for a provider that is on without a URL. */
export function permissionProviderWarning(config: PermissionProviderConfiguration): string | undefined {
  return config.usePermissionProvider && config.permissionProviderConfig.permissionProviderUrl === ''
    ? 'The permission provider is on without a permissionProviderUrl: every access is refused until it is set.'
    : undefined;
}
