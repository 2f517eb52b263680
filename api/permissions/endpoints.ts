import { checkPermissions } from './check-permissions.ts';

export const permissionEndpoints = [checkPermissions] as const;
