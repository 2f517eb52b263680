import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { invalidMember } from '../errors.ts';
import { tablesOf } from '../tables.ts';
import { merged, type Change } from './change.ts';
import { KeyConfiguration } from './key-configuration.entity.ts';
import type { ConfigurationKind, ConfigurationName } from './kind.ts';
import { joined, openStored, separated, toStored, type StoredForm } from './stored-form.ts';

/** Max JSON bytes of a configuration. Open maps grow with updates, and every request reads the switches in them. */
const maxBytes = 16_384;

/** Creates the row if missing and locks it until the transaction ends: updates of one configuration are serialized. */
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

const joinedRows = <Config extends object>(
  kind: ConfigurationKind<Config>,
  rows: readonly (KeyConfiguration | undefined)[],
): StoredForm => {
  const present = rows.filter((row) => row !== undefined);
  return joined(
    kind,
    new Map(present.map((row) => [row.kind, { config: row.config, secrets_enc: row.secretsEnc ?? null }])),
  );
};

/**
 * Merges a change into the stored value and returns the complete former and new value. The first enable adds the kind's
 * seed unless `seedsOnEnable` is false. Throws INVALID_ARGUMENT beyond 16 KiB.
 */
export async function updateConfiguration<Config extends object>(
  em: EntityManager,
  keyRing: KeyRing,
  apiKeyId: string,
  {
    kind,
    change,
    seedsOnEnable = true,
  }: {
    readonly kind: ConfigurationKind<Config>;
    readonly change: Change<Config>;
    readonly seedsOnEnable?: boolean;
  },
): Promise<{ readonly before: Config; readonly after: Config }> {
  const key = { keyRing, apiKeyId };
  const locked = await lock(em, apiKeyId, kind.name);
  const added = kind.added && (await lock(em, apiKeyId, kind.added.row));
  const stored = openStored(kind, joinedRows(kind, [locked, added]), key);
  const before = kind.complete?.(stored) ?? stored;
  const enabledBefore = locked.firstEnabledAt !== null;
  const on = kind.isOn(merged(before, change));
  const base = on && !enabledBefore && seedsOnEnable ? (kind.seed?.(before) ?? before) : before;
  const after = merged(base, change);
  kind.check?.({ enabledBefore, change, after });
  const { config, secrets_enc } = toStored(kind, after, key);
  if (Buffer.byteLength(JSON.stringify(config)) > maxBytes)
    throw invalidMember('', 'A configuration must hold at most 16 KiB.');
  const rows = separated(kind, config);
  locked.write(rows.own, secrets_enc, on);
  added?.write(rows.added, null, on);
  await em.flush();
  await kind.afterWrite?.(em, key, after);
  return { before, after };
}
