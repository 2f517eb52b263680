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
  const found = await row<StoredForm>(
    em,
    'select config, secrets_enc from key_config where api_key_id = $1 and kind = $2',
    [apiKeyId, kind.name],
  );
  return found === undefined ? kind.defaults : opened(kind, found, { keyRing, apiKeyId });
}
