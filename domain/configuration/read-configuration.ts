import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { tablesOf } from '../tables.ts';
import type { ConfigurationKind } from './kind.ts';
import { openStored } from './stored-form.ts';

/** Returns every member, secrets decrypted; the defaults before the first write. */
export async function readConfiguration<Config extends object>(
  em: EntityManager,
  keyRing: KeyRing,
  apiKeyId: string,
  kind: ConfigurationKind<Config>,
): Promise<Config> {
  return (await readVersionedConfiguration(em, keyRing, apiKeyId, kind)).config;
}

/** Also returns the version, which every write increments; 0 before the first. */
export async function readVersionedConfiguration<Config extends object>(
  em: EntityManager,
  keyRing: KeyRing,
  apiKeyId: string,
  kind: ConfigurationKind<Config>,
): Promise<{ readonly config: Config; readonly version: number }> {
  const found = await tablesOf(em)
    .selectFrom('key_config')
    .select(['config', 'secrets_enc', 'version'])
    .where((row) => row.and({ api_key_id: apiKeyId, kind: kind.name }))
    .executeTakeFirst();
  if (found === undefined) return { config: kind.defaults, version: 0 };
  return { config: openStored(kind, found, { keyRing, apiKeyId }), version: found.version };
}
