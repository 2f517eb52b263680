import { defineEntity, p, sql } from '@mikro-orm/core';
import { bytes, moment, now, reference } from '../columns.ts';
import { ApiKeySchema } from '../workspaces/api-key.entity.ts';
import type { ConfigurationName } from './kind.ts';

export const KeyConfigurationSchema = defineEntity({
  name: 'KeyConfiguration',
  tableName: 'key_config',
  properties: {
    apiKeyId: reference(ApiKeySchema, 'api_key_id').primary(),
    kind: p.text().$type<ConfigurationName>().primary(),
    config: p.json<object>(),
    secretsEnc: bytes().nullable(),
    firstEnabledAt: moment().nullable(),
    version: p.integer().default(1),
    updatedAt: moment().defaultRaw('now()'),
  },
  indexes: [
    {
      name: 'key_config_hook',
      expression: () =>
        sql`create index key_config_hook on key_config ((config ->> 'hookId')) where kind = 'emailsending'`,
    },
  ],
});

/** One configuration of an API key; without a row, its defaults apply. Secrets have a column of their own. */
export class KeyConfiguration extends KeyConfigurationSchema.class {
  /** Stores a configuration and increments the version. `on`: whether the service is on after this write. */
  write(config: object, secretsEnc: Buffer | null, on: boolean): void {
    this.config = config;
    this.secretsEnc = secretsEnc;
    this.version += 1;
    this.updatedAt = now();
    if (on) this.firstEnabledAt ??= now();
  }
}
KeyConfigurationSchema.setClass(KeyConfiguration);
