import { z } from 'zod';
import { countedKinds, type UsageCounter } from '../../../domain/tenancy/usage.ts';
import { readUsage, usagePeriods, type Usage, type UsageRange } from '../../../domain/usage/read-usage.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { listResponse, paging } from '../../http/response/list.ts';
import type { PageReader } from '../../http/response/page-reader.ts';
import { pagesBy } from '../../http/response/row-pages.ts';
import { rule } from '../../rules.ts';
import { milliseconds } from '../../schemas.ts';

/** Members of a request for a key's usage, beside the key. */
export const usageRequest = {
  by: z.enum(usagePeriods).default('hour').meta({
    description: '`hour`: the last 48 hours. `day`: the last 400 days, in UTC, including today.',
  }),
  from: milliseconds.optional().meta({
    description: 'Starts with the period that contains this time, in milliseconds since the epoch.',
  }),
  to: milliseconds
    .optional()
    .meta({ description: 'Lists periods that start before this time, in milliseconds since the epoch.' }),
  ...paging,
};

const count = z.number().int().min(0);
const createdCount = count.describe('Number of records of this kind.');
const created = Object.fromEntries(countedKinds.map((kind) => [kind, createdCount]));

const periodResponse = z
  .strictObject({
    startsAt: milliseconds.describe('Start of the hour or day, in milliseconds since the epoch.'),
    requests: count.meta({
      description:
        'Requests with valid credentials of the key, except those that its origins, scopes or state refuse with 403, and ' +
        'those that workspaces and operators make for it in the console.',
    }),
    errors: count.meta({ description: 'Requests that failed, including those beyond the rate limit.' }),
    bytesIn: count.meta({ description: 'Bytes of request bodies.' }),
    bytesOut: count.meta({ description: 'Bytes of response bodies.' }),
    events: count.meta({ description: 'Events recorded for webhooks.' }),
    deliveries: count.meta({ description: 'Attempts to deliver an event to an endpoint.' }),
    aiCalls: count.meta({ description: 'Calls to AI providers, including retries.' }),
    aiInputTokens: count.describe('Tokens that AI providers counted as input.'),
    aiOutputTokens: count.describe('Tokens that AI providers counted as output.'),
    created: z.strictObject(created as Record<(typeof countedKinds)[number], typeof count>).meta({
      description: 'Records that were created, by kind. Deletions do not lower them.',
    }),
  })
  .meta({ id: 'UsagePeriod' });

export const usageResponse = listResponse(periodResponse, { unpagedPaths: [] });

/** A period's counters have up to 16 digits each. */
const maxPeriodBytes = 1_024;

/** Returns a page reader of a key's usage, by the key's surrogate key. */
export const usagePages = (
  em: EntityManager,
  tenantId: string,
  range: UsageRange,
): PageReader<z.input<typeof periodResponse>> =>
  pagesBy(
    ({ startsAt }) => startsAt,
    maxPeriodBytes,
    periodView,
    async ({ after, limit }) =>
      readUsage(em, tenantId, range, { after: after === undefined ? undefined : Number(after), limit }),
  );

function periodView(usage: Usage): z.input<typeof periodResponse> {
  const counters = Object.entries(usage) as [UsageCounter | 'startsAt', number][];
  const isKind = (counter: string): boolean => (countedKinds as readonly string[]).includes(counter);
  return {
    ...Object.fromEntries(counters.filter(([counter]) => !isKind(counter))),
    created: Object.fromEntries(counters.filter(([counter]) => isKind(counter))),
  } as z.input<typeof periodResponse>;
}

/** Rejects a range that ends before it begins. */
export const rangeRule = rule<Pick<UsageRange, 'from' | 'to'>, 'from' | 'to'>(
  'to must be after from.',
  {},
  ['from', 'to'],
  ({ from, to }, context) => {
    if (from !== undefined && to !== undefined && to <= from)
      context.addIssue({ code: 'custom', path: ['to'], message: '<m> must be after from.' });
  },
);
