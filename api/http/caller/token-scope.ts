import type { TokenScope } from '../../../domain/tenancy/token-scopes.ts';
import type { Endpoint } from '../endpoint.ts';
import { httpMessages } from '../messages.ts';
import { TransportError } from '../response/transport-error.ts';

/** Families whose name is not the first part of their paths. The first matching prefix decides. */
const families: readonly (readonly [prefix: string, family: string])[] = [
  ['workspace/domains/', 'domains'],
  ['workspace/advancedwebhook/', 'webhooks'],
  ['workspace/', 'configuration'],
  ['overview/', 'configuration'],
  ['usage/', 'configuration'],
  ['auth/', 'permissions'],
  ['organizations/documents/', 'documents'],
  ['organizations/folders/', 'folders'],
  ['organizations/usergroups/', 'usergroups'],
  ['users/data/', 'userdata'],
];

type Scoped = Pick<Endpoint, 'paths' | 'mutates'>;

/** Returns the scope that an auth token needs for an operation of an API key: the family of its path, and read or write. */
export function tokenScopeOf({ paths, mutates }: Scoped): TokenScope {
  const operation = paths[0].slice('/v1/'.length);
  const family = families.find(([prefix]) => operation.startsWith(prefix))?.[1];
  return `${family ?? operation.split('/', 1)[0] ?? ''}:${mutates ? 'write' : 'read'}` as TokenScope;
}

/** Throws PERMISSION_DENIED that names the missing scope. A token without scopes may call every operation. */
export function checkTokenScope(operation: Scoped, granted: readonly string[] | null): void {
  if (granted === null) return;
  const needed = tokenScopeOf(operation);
  if (!granted.includes(needed))
    throw new TransportError('PERMISSION_DENIED', httpMessages.tokenScopeMissing(needed));
}
