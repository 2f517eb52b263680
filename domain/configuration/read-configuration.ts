import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { anyOf } from '../../platform/database/statements.ts';
import { tablesOf } from '../tables.ts';
import type { ConfigurationKind } from './kind.ts';
import { joined, openStored } from './stored-form.ts';

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
    .select(['kind', 'config', 'secrets_enc', 'version'])
    .where('api_key_id', '=', apiKeyId)
    .where('kind', '=', anyOf(kind.added === undefined ? [kind.name] : [kind.name, kind.added.row]))
    .execute();
  const rows = new Map(found.map((row) => [row.kind, row]));
  const config = openStored(kind, joined(kind, rows), { keyRing, apiKeyId });
  return { config, version: rows.get(kind.name)?.version ?? 0 };
}
