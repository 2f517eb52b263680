import { defineEntity, p } from '@mikro-orm/core';
import { bytes, computed, createdAt, moment, now, reference, surrogateKey } from '../columns.ts';
import type { KeyLimits } from '../tenancy/key-limits.ts';
import { WorkspaceSchema } from './workspace.entity.ts';

/** A label for people. It does not change what the key may call. */
export const apiKeyTypes = ['testing', 'production'] as const;
export type ApiKeyType = (typeof apiKeyTypes)[number];

/** A limit of the key; null: the deployment's. */
const limit = (column: string) => p.integer().nullable().check(`${column} > 0`);

/** An operator, or the key's workspace. A workspace cannot enable a key that an operator disabled. */
export type KeyDisabler = 'operator' | 'workspace';

export const ApiKeySchema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  properties: {
    id: surrogateKey(),
    workspaceId: reference(WorkspaceSchema, 'workspace_id'),
    keyHash: bytes().unique(),
    keyEnc: bytes(),
    name: p.text(),
    type: p.text().$type<ApiKeyType>(),
    ownerEmail: p.text(),
    allowedDomains: p.array().default([]),
    createdAt: createdAt(),
    requestsPerSecond: limit('requests_per_second'),
    requestBurst: limit('request_burst'),
    aiConcurrency: limit('ai_concurrency'),
    webhookEndpoints: limit('webhook_endpoints'),
    disabledAt: moment().nullable(),
    disabledBy: p.text().$type<KeyDisabler>().nullable(),
    workspaceDisabledAt: moment().nullable(),
    deletedAt: moment().nullable(),
    publicId: computed("'akid_' || left(encode(sha256(key_hash), 'hex'), 32)"),
  },
  indexes: [
    { name: 'api_key_workspace', properties: ['workspaceId', 'id'] },
    { name: 'api_key_deleted', properties: ['deletedAt'], where: 'deleted_at is not null' },
  ],
  uniques: [{ name: 'api_key_public_id', properties: ['publicId'] }],
});

/** A tenant: every row of customer data belongs to exactly one API key. */
export class ApiKey extends ApiKeySchema.class {
  readLimits(): KeyLimits {
    const { requestsPerSecond = null, requestBurst: burst = null } = this;
    const { aiConcurrency = null, webhookEndpoints = null } = this;
    return { requestsPerSecond, burst, aiConcurrency, webhookEndpoints };
  }

  setLimits({ requestsPerSecond, burst, aiConcurrency, webhookEndpoints }: KeyLimits): void {
    this.requestsPerSecond = requestsPerSecond;
    this.requestBurst = burst;
    this.aiConcurrency = aiConcurrency;
    this.webhookEndpoints = webhookEndpoints;
  }

  /** Adds domains. Returns those that were new. */
  allow(domains: readonly string[]): string[] {
    const added = domains.filter((domain) => !this.allowedDomains.includes(domain));
    this.allowedDomains = [...this.allowedDomains, ...added];
    return added;
  }

  /** Removes domains. Returns those that the key had. */
  disallow(domains: readonly string[]): string[] {
    const removed = domains.filter((domain) => this.allowedDomains.includes(domain));
    this.allowedDomains = this.allowedDomains.filter((domain) => !domains.includes(domain));
    return removed;
  }

  /** Disabling by an operator replaces disabling by the workspace. */
  disable(by: KeyDisabler): void {
    this.disabledAt ??= now();
    if (this.disabledBy !== 'operator') this.disabledBy = by;
  }

  enable(): void {
    this.disabledAt = null;
    this.disabledBy = null;
  }

  /** From the commit on, the key is rejected and invisible. */
  remove(): void {
    this.deletedAt = now();
  }
}
ApiKeySchema.setClass(ApiKey);
