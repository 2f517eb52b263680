import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { invalidMember } from '../errors.ts';
import { tablesOf } from '../tables.ts';
import { merged, type Change } from './change.ts';
import { KeyConfiguration } from './key-configuration.entity.ts';
import type { ConfigurationKind, ConfigurationName } from './kind.ts';
import { opened, stored } from './stored-form.ts';

/** Open maps grow with every update; the switches in them are read with every request. */
const maxBytes = 16_384;

/** Makes the row where there is none, and holds it until the transaction ends: updates of one configuration follow each other. */
async function lock(em: EntityManager, apiKeyId: string, kind: ConfigurationName): Promise<KeyConfiguration> {
  const row = await tablesOf(em)
    .insertInto('key_config')
    .values({ api_key_id: apiKeyId, kind, config: {}, version: 0 })
    .onConflict((conflict) =>
      conflict.columns(['api_key_id', 'kind']).doUpdateSet({ version: sql`key_config.version` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
  return em.map(KeyConfiguration, row);
}

/**
 * Merges a change over what is stored and answers the whole value after the write. The first enable seeds what the kind
 * seeds, unless `seeds` is false.
 */
export async function updateConfiguration<Config extends object>(
  em: EntityManager,
  keyRing: KeyRing,
  apiKeyId: string,
  {
    kind,
    change,
    seeds = true,
  }: {
    readonly kind: ConfigurationKind<Config>;
    readonly change: Change<Config>;
    readonly seeds?: boolean;
  },
): Promise<Config> {
  const key = { keyRing, apiKeyId };
  const locked = await lock(em, apiKeyId, kind.name);
  const before = opened(kind, { config: locked.config, secrets_enc: locked.secretsEnc ?? null }, key);
  const enabledBefore = locked.firstEnabledAt !== null;
  const on = kind.isOn(merged(before, change));
  const base = on && !enabledBefore && seeds ? (kind.seeded?.(before) ?? before) : before;
  const after = merged(base, change);
  kind.check?.({ enabledBefore, change, after });
  const { config, secrets_enc } = stored(kind, after, key);
  if (Buffer.byteLength(JSON.stringify(config)) > maxBytes)
    throw invalidMember('', 'A configuration must hold at most 16 KiB.');
  locked.write(config, secrets_enc, on);
  await em.flush();
  await kind.written?.(em, key, after);
  return after;
}
