import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import type { Change } from './change.ts';

/** As stored in `key_config.kind`; the credentials statement reads the switches of some of them by these names. */
export type ConfigurationName =
  'email' | 'webhook' | 'notification' | 'activity' | 'advancedwebhook' | 'permissionprovider' | 'apikey';

/** One of the configurations of a key, as the mechanism reads it. */
export interface ConfigurationKind<Config extends object> {
  readonly name: ConfigurationName;
  /** What a key has before anything was written; names every member. */
  readonly defaults: Config;
  /** Members that are sealed at rest and kept apart from the rest. */
  readonly secrets: readonly (readonly string[])[];
  /** Whether the service that this configures is on. */
  isOn(config: Config): boolean;
  /** What the first enable puts beside what is stored; what is sent goes over it. */
  seeded?(stored: Config): Config;
  /** Throws when the change is not allowed in that state. */
  check?(situation: Situation<Config>): void;
  /** Does, in the transaction of the write, what follows from the new value; the configuration is held meanwhile. */
  written?(em: EntityManager, key: ConfiguredKey, config: Config): Promise<void>;
}

/** Whose configuration it is, and what seals secrets. */
export interface ConfiguredKey {
  readonly keyRing: KeyRing;
  readonly apiKeyId: string;
}

export interface Situation<Config extends object> {
  /** Whether the service was ever on before this change. */
  readonly enabledBefore: boolean;
  readonly change: Change<Config>;
  /** The value after the write. */
  readonly after: Config;
}
