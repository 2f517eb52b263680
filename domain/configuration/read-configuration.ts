import { row } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import type { ConfigurationKind } from './kind.ts';
import { opened, type StoredForm } from './stored-form.ts';

/** Every member, in clear; the defaults before anything was written. */
export async function readConfiguration<Config extends object>(
  em: EntityManager,
  keyRing: KeyRing,
  apiKeyId: string,
  kind: ConfigurationKind<Config>,
): Promise<Config> {
  return (await readVersionedConfiguration(em, keyRing, apiKeyId, kind)).config;
}

/** With its version, which every write raises: 0 before the first. */
export async function readVersionedConfiguration<Config extends object>(
  em: EntityManager,
  keyRing: KeyRing,
  apiKeyId: string,
  kind: ConfigurationKind<Config>,
): Promise<{ readonly config: Config; readonly version: number }> {
  const found = await row<StoredForm & { readonly version: number }>(
    em,
    'select config, secrets_enc, version from key_config where api_key_id = $1 and kind = $2',
    [apiKeyId, kind.name],
  );
  if (found === undefined) return { config: kind.defaults, version: 0 };
  return { config: opened(kind, found, { keyRing, apiKeyId }), version: found.version };
}
