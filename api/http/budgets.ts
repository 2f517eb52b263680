import type { Registry } from 'prom-client';
import { mebibyte } from '../../platform/units.ts';
import { addGauge } from '../../platform/metrics/scraped-metrics.ts';
import { BodyBudget } from './request/body-budget.ts';
import { ReadBudget, readLimits } from './response/read-budget.ts';
import type { Endpoint } from './endpoint.ts';

/** Limits of request bodies. */
export interface BodyLimits {
  /** Max bytes of all bodies of the process. */
  readonly bodyBytes: number;
  /** Time after which a waiting body is refused. */
  readonly maxWaitMs: number;
}

/** Creates the memory budgets of one API process: of request bodies and of responses. Exports their use and their limits. */
export function openBudgets(
  registry: Registry,
  operations: readonly Endpoint[],
  { bodyBytes, maxWaitMs }: BodyLimits,
): { readonly bodyBudget: BodyBudget; readonly readBudget: ReadBudget } {
  const maxBodyMebibytes = Math.max(...operations.map(({ maxBodyMebibytes = 1 }) => maxBodyMebibytes));
  const maxBodyBytes = maxBodyMebibytes * mebibyte;
  const bodyBudget = new BodyBudget({ bytes: bodyBytes, maxBodyBytes, maxWaitMs });
  const readBudget = new ReadBudget(readLimits);
  const gauges: readonly (readonly [name: string, help: string, read: () => number])[] = [
    [
      'steward_api_body_budget_bytes',
      'Bytes of request bodies held or reserved.',
      () => bodyBudget.takenBytes,
    ],
    ['steward_api_body_budget_max_bytes', 'Max of steward_api_body_budget_bytes.', () => bodyBytes],
    ['steward_api_read_budget_bytes', 'Bytes read for responses and not sent.', () => readBudget.heldBytes],
    [
      'steward_api_read_budget_max_bytes',
      'Max of steward_api_read_budget_bytes.',
      () => readBudget.limits.totalBytes,
    ],
  ];
  for (const [name, help, read] of gauges) addGauge(registry, { name, help }, () => [{ value: read() }]);
  return { bodyBudget, readBudget };
}
