import { addToken } from './add.ts';
import { listTokens } from './list.ts';
import { revokeToken } from './revoke.ts';

export const operatorTokenEndpoints = [addToken, listTokens, revokeToken] as const;
