import { row, rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { invalidMember } from '../errors.ts';
import { merged, type Change } from './change.ts';
import type { ConfigurationKind } from './kind.ts';
import { opened, stored, type StoredForm } from './stored-form.ts';

/** Open maps grow with every update; the switches in them are read with every request. */
const mostBytes = 16_384;

interface LockedRow extends StoredForm {
  readonly first_enabled_at: Date | null;
}

/** Makes the row where there is none, and holds it until the transaction ends: updates of one configuration follow each other. */
const lockStatement = `
  insert into key_config (api_key_id, kind, config, version) values ($1, $2, '{}', 0)
  on conflict (api_key_id, kind) do update set version = key_config.version
  returning config, secrets_enc, first_enabled_at`;

const writeStatement = `
  update key_config set config = $3, secrets_enc = $4, version = version + 1, updated_at = now(),
    first_enabled_at = coalesce(first_enabled_at, case when $5 then now() end)
  where api_key_id = $1 and kind = $2`;

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
  const locked = await row<LockedRow>(em, lockStatement, [apiKeyId, kind.name]);
  if (locked === undefined) throw new Error('A configuration was not locked.');
  const before = opened(kind, locked, key);
  const enabledBefore = locked.first_enabled_at !== null;
  const on = kind.isOn(merged(before, change));
  const base = on && !enabledBefore && seeds ? (kind.seeded?.(before) ?? before) : before;
  const after = merged(base, change);
  kind.check?.({ enabledBefore, change, after });
  const { config, secrets_enc } = stored(kind, after, key);
  const text = JSON.stringify(config);
  if (Buffer.byteLength(text) > mostBytes)
    throw invalidMember('', 'A configuration must hold at most 16 KiB.');
  await rows(em, writeStatement, [apiKeyId, kind.name, text, secrets_enc, on]);
  await kind.written?.(em, key, after);
  return after;
}
