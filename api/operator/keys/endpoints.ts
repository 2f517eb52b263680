import { deleteKey } from './delete.ts';
import { disableKey } from './disable.ts';
import { enableKey } from './enable.ts';
import { getKeyDeletion } from './get-deletion.ts';
import { getKey } from './get.ts';
import { listKeys } from './list.ts';
import { resetKeyAuthToken } from './reset-auth-token.ts';

export const operatorKeyEndpoints = [
  listKeys,
  getKey,
  disableKey,
  enableKey,
  resetKeyAuthToken,
  deleteKey,
  getKeyDeletion,
] as const;
