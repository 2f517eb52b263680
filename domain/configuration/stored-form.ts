import type { AadContext, KeyRing } from '../../platform/encryption/key-ring.ts';
import { merged, type Change } from './change.ts';
import type { ConfigurationKind, ConfigurationName } from './kind.ts';

/** The AAD context of the secret members of a configuration, which are encrypted as one JSON value. */
export const configurationContext = (apiKeyId: string, name: string): AadContext => ({
  table: 'key_config',
  column: 'secrets_enc',
  row: name,
  tenant: apiKeyId,
});

/** A configuration in its row; secrets have their own column, so reading a switch decrypts nothing. */
export interface StoredForm {
  readonly config: object;
  readonly secrets_enc: Buffer | null;
}

/** Returns the complete value; members added since the write have their defaults. */
export function openStored<Config extends object>(
  kind: ConfigurationKind<Config>,
  { config, secrets_enc }: StoredForm,
  { keyRing, apiKeyId }: { readonly keyRing: KeyRing; readonly apiKeyId: string },
): Config {
  const open = merged(kind.defaults, config as Change<Config>);
  if (secrets_enc === null) return open;
  const secrets: unknown = JSON.parse(
    keyRing.decrypt(secrets_enc, configurationContext(apiKeyId, kind.name)),
  );
  return merged(open, secrets as Change<Config>);
}

/** Joins the rows of a configuration, by their names. */
export function joined<Config extends object>(
  { name, added }: ConfigurationKind<Config>,
  rows: ReadonlyMap<ConfigurationName, StoredForm>,
): StoredForm {
  const own = rows.get(name);
  const config = merged(own?.config ?? {}, (added && rows.get(added.row)?.config) ?? {});
  return { config, secrets_enc: own?.secrets_enc ?? null };
}

/** Separates the members that have a row of their own. */
export const separated = <Config extends object>(
  { added }: ConfigurationKind<Config>,
  config: object,
): { readonly own: object; readonly added: object } => ({
  own: added === undefined ? config : without(config, added.members),
  added: added === undefined ? {} : onlyThese(config, added.members),
});

/** Splits a complete value into its stored form: members, and encrypted secrets. */
export function toStored<Config extends object>(
  kind: ConfigurationKind<Config>,
  value: Config,
  { keyRing, apiKeyId }: { readonly keyRing: KeyRing; readonly apiKeyId: string },
): StoredForm {
  const config = without(value, kind.secrets);
  const secrets = onlyThese(value, kind.secrets);
  const none = JSON.stringify(secrets) === JSON.stringify(onlyThese(kind.defaults, kind.secrets));
  const context = configurationContext(apiKeyId, kind.name);
  return { config, secrets_enc: none ? null : keyRing.encrypt(JSON.stringify(secrets), context) };
}

type Paths = readonly (readonly string[])[];

/** The paths below `name`, relative to it. */
const below = (paths: Paths, name: string): Paths =>
  paths.filter(([first]) => first === name).map((path) => path.slice(1));

const isEnd = (paths: Paths): boolean => paths.some((path) => path.length === 0);

function without(value: object, paths: Paths): object {
  const entries = Object.entries(value)
    .filter(([name]) => !isEnd(below(paths, name)))
    .map(([name, member]: [string, unknown]): [string, unknown] => {
      const deeper = below(paths, name);
      return [name, deeper.length === 0 ? member : without(member as object, deeper)];
    });
  return Object.fromEntries(entries);
}

function onlyThese(value: object, paths: Paths): object {
  const entries = Object.entries(value)
    .map(([name, member]: [string, unknown]): [string, unknown, Paths] => [name, member, below(paths, name)])
    .filter(([, , deeper]) => deeper.length > 0)
    .map(([name, member, deeper]): [string, unknown] => [
      name,
      isEnd(deeper) ? member : onlyThese(member as object, deeper),
    ]);
  return Object.fromEntries(entries);
}
