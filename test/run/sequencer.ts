import { createRequire } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as SequencerModule from '@jest/test-sequencer';

// Its default export differs from its types in both module systems.
const { default: Sequencer } = createRequire(import.meta.url)(
  '@jest/test-sequencer',
) as typeof SequencerModule.default;

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Files of 9 s or more on two idle cores, slowest first, so that none runs alone at the end. A name also stands for
 * files whose names begin with it.
 */
const slowest = [
  'test/workflows/delete-user-data',
  'test/start',
  'test/api/examples',
  'test/workflows/visibility',
  'test/workflows/migrate-document',
  'test/workflows/delete-user-data-crash',
  'test/secrets-and-content',
  'test/workflows/notify-of-comments',
  'test/worker/versioning',
  'test/cli/commands',
  'test/api/rewriter',
  'test/api/statement-counts',
  'test/api/hostile-input',
  'test/workflows/crash',
  'test/workflows/notify-members',
  'test/workflows/webhook-chaos',
  'test/attacks/responses',
  'test/platform/logging/outages',
  'test/domain/webhooks/delivery-turn',
  'test/api/tenancy',
  'test/api/crdt',
  'test/cli/mcp',
  'test/cli/demo',
  'test/api/http/processes',
  'test/workflows/cascade',
  'test/workflows/send-notifications',
  'test/attacks/parsing',
  'test/workflows/paused',
  'test/workflows/comments-beside-jobs',
  'test/linear/expressions',
  'test/workflows/delete-key',
  'test/local/run-command',
  'test/console/smoke',
  'test/workflows/replay',
  'test/platform/database/changed-columns',
  'test/platform/tracing/traces',
  'test/workflows/sweep',
  'test/local/postgres',
  'test/api/usage',
  'test/api/http/refusal-size',
  'test/api/response-examples',
  'test/attacks/bodies',
  'test/api/http/stalls',
  'test/worker/health',
  'test/domain/deletion-replay/replay',
  'test/testing/parallel-environments',
  'test/api/http/shared-limits',
  'test/api/openapi',
  'test/packages/client/package',
  'test/api/http/admission',
  'test/api/rewriter-stalls',
  'test/api/http/routes',
  'test/platform/config/optional-packages',
  'test/api/http/connection/drain',
  'test/api/http/half-sent-bodies',
  'test/platform/process/running-processes',
  'test/domain/maintenance/keep-house',
  'test/domain/deletion/fence',
  'test/domain/deletion/free-json',
  'test/domain/deletion/store-plans',
  'test/domain/deliveries/slack',
  'test/workflows/long-outages',
  'test/api/scoped-tokens',
  'test/api/http/early-refusals',
  'test/api/http/request/parse-large-json',
  'test/platform/database/migrations/migrations',
  'test/domain/permissions/effective-access',
  'test/domain/maintenance/rotating-partitions',
  'test/api/idempotency',
  'test/api/webhooks/races',
  'test/local/provide-node',
  'test/workflows/disabled-keys',
  'test/api/comments/comments',
  'test/workflows/webhook-retries',
  'test/domain/entities',
  'test/api/permission-provider',
];

type Tests = Parameters<InstanceType<typeof Sequencer>['sort']>[0];

const rank = ({ path }: { readonly path: string }): number => {
  const found = slowest.findIndex((start) => relative(root, path).startsWith(start));
  return found === -1 ? slowest.length : found;
};

/** Uses Jest's order (failed first, then by earlier durations) when it has a duration for each file; otherwise the slowest first. */
export default class SlowestFirst extends Sequencer {
  override sort(tests: Tests): Tests {
    const sorted = super.sort(tests) as Tests;
    return sorted.every(({ duration }) => duration !== undefined)
      ? sorted
      : sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
