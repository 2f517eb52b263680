import { addPermissions } from './add-permissions.ts';
import { checkPermissions } from './check-permissions.ts';
import { generateToken } from './generate-token.ts';
import { getPermissions } from './get-permissions.ts';
import { removePermissions } from './remove-permissions.ts';

export const permissionEndpoints = [
  addPermissions,
  removePermissions,
  getPermissions,
  checkPermissions,
  generateToken,
] as const;
