import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import type { Change } from './change.ts';

/** Stored in `key_config.kind`. The credentials statement reads switches by these names. */
export type ConfigurationName =
  | 'email'
  | 'emailsending'
  | 'slack'
  | 'webhook'
  | 'notification'
  | 'activity'
  | 'advancedwebhook'
  | 'permissionprovider'
  | 'apikey';

/** Declares one configuration of an API key. */
export interface ConfigurationKind<Config extends object> {
  readonly name: ConfigurationName;
  /** The value before the first write, with every member. */
  readonly defaults: Config;
  /** Paths of members that are stored encrypted, in a column of their own. */
  readonly secrets: readonly (readonly string[])[];
  /**
   * Paths of members that the previous release does not know, and the row that stores them. In the row of `name` they
   * would fail its strict schemas. The row exists once a release that knows them has written the configuration.
   */
  readonly added?: { readonly row: ConfigurationName; readonly members: readonly (readonly string[])[] };
  /** Whether the configured service is on. */
  isOn(config: Config): boolean;
  /** Defaults that the first enable adds to the stored value, under the members sent. */
  seed?(stored: Config): Config;
  /** Adds members that no caller sends. */
  complete?(stored: Config): Config;
  /** Throws when the change is not allowed. */
  check?(change: ProposedChange<Config>): void;
  /** Runs in the transaction of the write, while the configuration is locked. */
  afterWrite?(em: EntityManager, key: ConfiguredKey, config: Config): Promise<void>;
}

/** The API key, and the key ring that encrypts its secrets. */
export interface ConfiguredKey {
  readonly keyRing: KeyRing;
  readonly apiKeyId: string;
}

/** A change to check before it is written. */
export interface ProposedChange<Config extends object> {
  /** Whether the service was on before this change, at any time. */
  readonly enabledBefore: boolean;
  readonly change: Change<Config>;
  /** The value after the write. */
  readonly after: Config;
}
