import { Registry } from 'prom-client';
import { EffectMetrics } from '../../activities/effect-metrics.ts';
import type { Dependencies } from '../../activities/dependencies.ts';
import { databaseClock } from '../../domain/deliveries/clock.ts';
import { openSenders } from '../../domain/deliveries/senders.ts';
import { PermissionProvider } from '../../domain/permissions/provider/permission-provider.ts';
import type { Orm } from '../../platform/database/orm.ts';
import { createLogger } from '../../platform/logging/logger.ts';
import { openOutbound } from '../../platform/outbound/outbound-connections.ts';
import type { TestApi } from './api.ts';

/** No mail server; SendGrid and Slack are unreachable. */
const messaging = {
  mailServer: undefined,
  from: undefined,
  emailsPerSecond: 0,
  retryDelaysMs: [0, 30_000, 120_000],
  fromDomains: [],
  paused: false,
  sendGridUrl: 'http://127.0.0.1:1/v3',
  slackUrl: 'http://127.0.0.1:1/api',
  publicUrl: undefined,
};

/** The dependencies of activities that run within a test. They start and wake no workflow unless `others` do. */
export function activityDependencies(
  { keyRing }: TestApi,
  orm: Orm,
  others: Partial<Dependencies> = {},
): Dependencies {
  return {
    orm,
    keyRing,
    publicUrl: 'https://steward.test',
    journal: undefined,
    gate: { isOpen: () => true },
    logger: createLogger({ level: 'silent', format: 'json', name: 'worker' }),
    metrics: new EffectMetrics(new Registry()),
    permissionProvider: new PermissionProvider({ orm, keyRing, allowedNetworks: [] }),
    webhooks: { name: 'embedded' },
    outbound: openOutbound({ allowedNetworks: ['127.0.0.0/8', '::1/128'] }),
    outboundAllowedNetworks: [],
    webhookRetryDelaysMs: [0, 5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000],
    webhookRetentionDays: 30,
    webhookEndpointConcurrency: 50,
    databaseSlots: 10,
    sending: {
      senders: openSenders(messaging, () => undefined),
      messaging,
      clock: databaseClock,
    },
    wakes: { wake: () => undefined },
    paused: new Set(),
    stopping: () => new AbortController().signal,
    providerBaseUrls: { openai: undefined, anthropic: undefined, gemini: undefined },
    leave: () => undefined,
    startWorkflow: () => Promise.reject(new Error('Nothing is started here.')),
    wakeWorkflow: () => Promise.reject(new Error('Nothing is woken here.')),
    ...others,
  };
}
