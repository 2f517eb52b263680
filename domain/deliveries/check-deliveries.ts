import { setTimeout as pause } from 'node:timers/promises';
import type { EntityManager } from '../../platform/database/orm.ts';
import { DomainError } from '../errors.ts';
import { documentAndUser, type MayReach } from '../notifications/decide-recipients.ts';
import type { PermissionProvider } from '../permissions/provider/permission-provider.ts';
import type { AccessQuery } from '../permissions/effective-access-statement.ts';
import { readFacts } from './advance-notices.ts';
import type { ChannelContext } from './channel-context.ts';
import { byRecipient } from './by-recipient.ts';
import type { ClaimedDelivery } from './claim-deliveries.ts';
import { judge } from './judge-notice.ts';
import { readNotices, type NoticeRow } from './read-notices.ts';
import type { SendingOutcomes, RecordedOutcome } from './record-outcomes.ts';
import { PairLimits } from './pair-limits.ts';
import { deliveryOf } from './write-deliveries.ts';

/** Claimed deliveries after the last check of the sending rules. */
export interface Checked extends SendingOutcomes {
  /** Deliveries to be sent, with their remaining notices. */
  readonly sendable: readonly {
    readonly delivery: ClaimedDelivery;
    readonly notices: readonly NoticeRow[];
  }[];
}

/** Milliseconds until a permission provider that failed is called again. */
const providerRetryMs = 60_000;

/**
 * Applies the sending rules to claimed deliveries with present facts. A delivery that fails a rule counts no attempt. Notices
 * of a digest that now go to another address than its first one leave it for deliveries of their own.
 */
export async function checkDeliveries(
  em: EntityManager,
  context: ChannelContext,
  provider: PermissionProvider,
  claimed: readonly ClaimedDelivery[],
): Promise<Checked> {
  const rows = await readNotices(em, { ...context, ids: claimed.flatMap(({ notices }) => notices) });
  const decided = context.tenant.switches.permissionProvider
    ? await callProvider(provider, context, rows)
    : undefined;
  const facts = await readFacts(em, { ...context, byProvider: decided?.mayReach }, rows);
  const byDelivery = Map.groupBy(rows, ({ delivery }) => delivery);
  const checked: Checked[] = claimed.map((delivery) => {
    const judged = (byDelivery.get(delivery.id) ?? []).map((notice) => ({
      notice,
      result: judge(facts.get(notice.id)),
    }));
    const notices = judged.filter(({ result }) => result.outcome === 'kept').map(({ notice }) => notice);
    const ended = judged.flatMap(({ notice: { id }, result }) =>
      result.outcome === 'ended' ? [{ ...result, id }] : [],
    );
    const removed = judged.flatMap(({ notice: { id }, result }) =>
      result.outcome === 'removed' ? [id] : [],
    );
    const nothing: Checked = { sendable: [], recorded: [], moved: [], dropped: [], removed: [] };
    const [first] = ended;
    const attempts = delivery.attempts.slice(0, -1);
    if (notices.length > 0) {
      const dropped = { dropped: ended, removed };
      if (notices.some((notice) => decided?.isUndecided(notice) === true))
        return {
          ...nothing,
          ...dropped,
          recorded: [{ kind: 'waits', delivery, attempts, waitMs: providerRetryMs }],
        };
      const [sent = [], ...others] = byRecipient(context.channel, notices);
      const moved = others.flatMap(deliveryOf).map((one) => ({ ...one, former: delivery.id }));
      return { ...nothing, ...dropped, moved, sendable: [{ delivery, notices: sent }] };
    }
    const recorded: RecordedOutcome =
      first === undefined
        ? { kind: 'removed', delivery }
        : { ...first, kind: 'ended', delivery, attempts, provider: null, reference: null, suppress: null };
    return { ...nothing, recorded: [recorded], removed };
  });
  return {
    sendable: checked.flatMap(({ sendable }) => sendable),
    recorded: checked.flatMap(({ recorded }) => recorded),
    moved: checked.flatMap(({ moved }) => moved),
    dropped: checked.flatMap(({ dropped }) => dropped),
    removed: checked.flatMap(({ removed }) => removed),
  };
}

interface Decided {
  readonly mayReach: MayReach;
  /** Whether the provider failed to decide about the reader of a notice. */
  readonly isUndecided: (notice: NoticeRow) => boolean;
}

/** Max pairs of a user and a document of one key about which the permission provider is asked at a time, and in one call. */
const maxPairs = 50;

const pairLimits = new PairLimits(maxPairs);

/** Max milliseconds of all requests about a claim. Its messages are sent afterwards, before the turn ends. */
const maxProviderMs = 20_000;

const shuffled = <Item>(items: readonly Item[]): Item[] =>
  items
    .map((item) => [Math.random(), item] as const)
    .sort(([one], [other]) => one - other)
    .map(([, item]) => item);

/** Without room for checks, deliveries stay undecided, as when their provider is unavailable. */
function undecided(error: unknown): undefined {
  if (error instanceof DomainError && error.status === 'UNAVAILABLE') return undefined;
  throw error;
}

/** A query about readers of one document. `document`: surrogate key. */
interface Question {
  readonly document: string;
  readonly query: AccessQuery;
}

/** In random order: documents whose checks always time out must not always precede the others. */
function questionsAbout(rows: readonly NoticeRow[]): Question[] {
  const verified = rows.filter((notice) => notice.verify && notice.exists && notice.user_ext !== null);
  const groups = [...Map.groupBy(verified, ({ document }) => document)];
  return shuffled(
    groups.flatMap(([document, group]) => {
      const [{ organization_ext: organizationId, document_ext: id } = {}] = group;
      if (typeof organizationId !== 'string' || typeof id !== 'string') return [];
      const resources = [{ type: 'document' as const, id, organizationId }];
      const userIds = [...new Set(group.map(({ user_ext }) => user_ext ?? ''))];
      return Array.from({ length: Math.ceil(userIds.length / maxPairs) }, (_, nth) => ({
        document,
        query: { userIds: userIds.slice(nth * maxPairs, (nth + 1) * maxPairs), resources },
      }));
    }),
  );
}

async function callProvider(
  provider: PermissionProvider,
  { tenant }: ChannelContext,
  rows: readonly NoticeRow[],
): Promise<Decided> {
  const refused = new Set<string>();
  const failed = new Set<string>();
  const checking = new AbortController();
  // After the deadline, the others stay undecided: an unavailable provider would take longer than the claim lasts.
  let isBeforeDeadline = true;
  const deadline = pause(maxProviderMs, undefined, { ref: false, signal: checking.signal }).then(
    (): undefined => {
      isBeforeDeadline = false;
    },
    () => undefined,
  );
  const ask = async (query: AccessQuery) =>
    isBeforeDeadline ? Promise.race([provider.decide(tenant, query).catch(undecided), deadline]) : undefined;
  const decide = async ({ document, query }: Question): Promise<void> => {
    const asked = pairLimits.run(tenant.id, query.userIds.length, async () => ask(query));
    const decided = await Promise.race([asked, deadline]);
    if (decided === undefined) {
      isBeforeDeadline = false;
      for (const userId of query.userIds) failed.add(documentAndUser(document, userId));
      return;
    }
    for (const [row, verdict] of decided) {
      if (verdict.hasAccess) continue;
      const isFailure = verdict.reason === 'provider-failed' || verdict.reason === 'provider-not-configured';
      (isFailure ? failed : refused).add(documentAndUser(document, row.user_ext));
    }
  };
  const ends = await Promise.allSettled(questionsAbout(rows).map(decide));
  checking.abort();
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return {
    mayReach: ({ userId, location }) => !refused.has(documentAndUser(location.document, userId)),
    isUndecided: ({ verify, document, user_ext }) =>
      verify && failed.has(documentAndUser(document, user_ext ?? '')),
  };
}
