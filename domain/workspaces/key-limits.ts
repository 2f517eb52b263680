import type { EntityManager } from '../../platform/database/orm.ts';
import { notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import type { KeyLimits } from '../tenancy/key-limits.ts';
import { ApiKey } from './api-key.entity.ts';
import { lockKeyRow } from './lock-key.ts';

/** Returns the limits of a key by its public id. Throws NOT_FOUND. */
export async function readKeyLimits(em: EntityManager, keyId: string): Promise<KeyLimits> {
  const key = await em.findOneOrFail(
    ApiKey,
    { publicId: keyId, deletedAt: null },
    { failHandler: () => notFound(messages.apiKeyMissing) },
  );
  return key.readLimits();
}

/** Sets the limits that `change` holds and returns those before and after. Throws NOT_FOUND. */
export async function changeKeyLimits(
  em: EntityManager,
  keyId: string,
  change: { readonly [Limit in keyof KeyLimits]?: KeyLimits[Limit] | undefined },
): Promise<{ readonly before: KeyLimits; readonly after: KeyLimits }> {
  const key = await lockKeyRow(em, { public_id: keyId });
  const before = key.readLimits();
  const sent = Object.entries(change).filter(([, limit]) => limit !== undefined);
  key.setLimits({ ...before, ...Object.fromEntries(sent) });
  return { before, after: key.readLimits() };
}
