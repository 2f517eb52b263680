import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowOf } from '../../platform/database/statements.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { failedPrecondition } from '../errors.ts';
import { messages } from '../messages.ts';
import { signToken } from '../signing/sign-token.ts';
import { currentTokenKey, tokenLifetimeSeconds } from '../signing/token-keys.ts';
import type { CallingTenant, Tenant } from '../tenancy/tenant.ts';
import { storeAddresses } from '../users/user-addresses.ts';
import { writeGrants } from './grant-permissions.ts';
import { resolveResources } from './resolve-resources.ts';
import type { Grant } from './resource.ts';

export interface TokenRequest {
  readonly userId: string;
  /** Undefined keeps the stored value. */
  readonly name: string | undefined;
  readonly email: string | undefined;
  readonly isAdmin: boolean;
  readonly grants: readonly Grant[];
}

/**
 * Signs a token for a user, valid for 48 hours. Stores its grants like permissions/add, and the user's name and email. Throws
 * FAILED_PRECONDITION for a disabled organization or document.
 */
export async function generateToken(
  em: EntityManager,
  keyRing: KeyRing,
  tenant: CallingTenant,
  request: TokenRequest,
): Promise<string> {
  const resolved = await resolveResources(em, tenant, request.userId, request.grants);
  if (resolved.some(({ row }) => row.organization_disabled))
    throw failedPrecondition(messages.organizationDisabled);
  if (resolved.some(({ row }) => row.document_disabled)) throw failedPrecondition(messages.documentDisabled);
  const user = await writeGrants(em, tenant, request.userId, resolved);
  const profile = await writeProfile(em, tenant, user, request);
  const issuedAt = Math.floor(Date.now() / 1_000);
  return await signToken(await currentTokenKey(em, keyRing), {
    iss: 'steward',
    aud: tenant.apiKey,
    sub: request.userId,
    jti: randomUUID(),
    iat: issuedAt,
    exp: issuedAt + tokenLifetimeSeconds,
    ...profile,
    isAdmin: request.isAdmin,
    permissions: {
      resources: request.grants.map(({ type, id, organizationId, accessRole, expiresAt }) => ({
        type,
        id,
        organizationId,
        accessRole,
        ...(expiresAt !== undefined && { expiresAt }),
      })),
    },
  });
}

const Profile = z.strictObject({ name: z.string(), email: z.string() });

/** Returns the profile with the values of the call, also when a concurrent call wrote them first. */
async function writeProfile(
  em: EntityManager,
  tenant: Tenant,
  user: string,
  request: TokenRequest,
): Promise<z.infer<typeof Profile>> {
  const name = sql`coalesce(${request.name ?? null}, name)`;
  const email = sql`coalesce(${request.email ?? null}, email)`;
  const profile = await rowOf(
    em,
    Profile,
    sql`with changed as (
        update app_user set name = ${name}, email = ${email}, updated_at = now()
        where id = ${user} and api_key_id = ${tenant.id} and (name, email) is distinct from (${name}, ${email})
        returning name, email)
      select name, email from changed
      union all
      select ${name}, ${email} from app_user where id = ${user} and api_key_id = ${tenant.id} and not exists (select from changed)`,
  );
  if (profile === undefined) throw new Error('missing row for locked user');
  if (request.email !== undefined)
    await storeAddresses(em, tenant, new Map([[request.userId, user]]), [[request.userId, request.email]]);
  return profile;
}
