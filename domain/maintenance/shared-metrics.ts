import { randomUUID } from 'node:crypto';
import type { Registry } from 'prom-client';
import { addGauge, type MetricDescription, type Sample } from '../../platform/metrics/scraped-metrics.ts';
import { inTransaction, type Orm } from '../../platform/database/orm.ts';
import { repeat } from '../../platform/process/repeat.ts';
import { readHeldChannels, readNoticeBacklog } from '../deliveries/backlog.ts';
import { jobKindOf, jobKinds } from '../job-handlers/job-kinds.ts';
import { jobStatusName } from '../jobs/job.entity.ts';
import { servedKinds, type WebhookProvider } from '../webhooks/provider.ts';
import { returnLease, takeLease } from './leases.ts';
import {
  maxCounted,
  readDefaultPartitions,
  readMessageBacklog,
  readFailingEndpoints,
  readOpenJobs,
  readOutboxBacklog,
  readSweepSteps,
} from './queue-state.ts';

export interface SharedMetricsOptions {
  readonly orm: Orm;
  /** The configured webhook provider. */
  readonly provider: WebhookProvider['name'];
  readonly registry: Registry;
  /** Called with the error of a sample; the next one is taken after the usual delay. */
  readonly onFailure: (error: unknown) => void;
  readonly signal: AbortSignal;
  readonly times?: SharedMetricsTimes;
}

/** Milliseconds between two samples, and milliseconds after which another process replaces one that has crashed. */
export interface SharedMetricsTimes {
  readonly sampleMs: number;
  readonly leaseMs: number;
}

const defaultTimes: SharedMetricsTimes = { sampleMs: 10_000, leaseMs: 30_000 };

/** Each statement reads about 10,000 index entries at most. */
const statementSettings = { statement_timeout: '5000' };

const leaseName = 'shared-metrics';

/**
 * Exports the state of rows that all processes share. Only the process that holds the lease samples it, until `signal`
 * aborts.
 */
export async function exportSharedMetrics(options: SharedMetricsOptions): Promise<void> {
  const { orm, provider, registry, onFailure, signal, times = defaultTimes } = options;
  const request = { name: leaseName, holder: randomUUID() };
  let sample: SharedSample | undefined;
  let heldUntil = 0;
  addSharedGauges(registry, () => (performance.now() < heldUntil ? sample : undefined));
  await repeat(signal, async () => {
    const startedAt = performance.now();
    try {
      const held = await takeLease(orm.em.fork(), request, times.leaseMs);
      sample = held ? await readSample(orm, servedKinds(provider)) : undefined;
      heldUntil = startedAt + times.leaseMs;
    } catch (error) {
      onFailure(error);
    }
    return times.sampleMs;
  });
  sample = undefined;
  await returnLease(orm.em.fork(), request).catch(() => undefined);
}

type SharedSample = Awaited<ReturnType<typeof readSample>>;

async function readSample(orm: Orm, served: readonly number[]) {
  const takenAt = Date.now() / 1_000;
  const read = async <Result>(statement: (em: Orm['em']) => Promise<Result>): Promise<Result> =>
    inTransaction(orm, statement, statementSettings);
  // Sequential, so that a sample occupies one connection.
  return {
    takenAt,
    outbox: await read(readOutboxBacklog),
    deliveries: await read(async (em) => readMessageBacklog(em, served)),
    failing: await read(async (em) => readFailingEndpoints(em, served)),
    notices: await read(readNoticeBacklog),
    held: await read(readHeldChannels),
    jobs: await read(async (em) =>
      readOpenJobs(
        em,
        jobKinds.map(({ number }) => number),
      ),
    ),
    partitions: await read(readDefaultPartitions),
    sweep: await read(readSweepSteps),
  };
}

/** A gauge of the shared rows. */
interface SharedGauge extends MetricDescription {
  readonly read: (sample: SharedSample) => readonly Sample[];
}

const jobLabels = ({ kind, status }: SharedSample['jobs'][number]) => ({
  kind: jobKindOf(kind).name,
  status: jobStatusName(status),
});

const capped = `counted up to ${maxCounted.toLocaleString('en')}`;

const sharedGauges: readonly SharedGauge[] = [
  {
    name: 'steward_shared_metrics_sampled_timestamp_seconds',
    help: 'Unix time of the sample of the shared rows; only the process that holds the lease has it.',
    read: ({ takenAt }) => [{ value: takenAt }],
  },
  {
    name: 'steward_outbox_events',
    help: `Events that are not distributed to endpoints, ${capped}.`,
    read: ({ outbox }) => [{ value: outbox.rows }],
  },
  {
    name: 'steward_outbox_oldest_age_seconds',
    help: 'Age of the oldest event that is not distributed to endpoints; 0 when there is none.',
    read: ({ outbox }) => [{ value: outbox.oldest_seconds }],
  },
  {
    name: 'steward_webhook_deliveries_pending',
    help: `Messages to endpoints that are not delivered, ${capped}.`,
    read: ({ deliveries }) => [{ value: deliveries.rows }],
  },
  {
    name: 'steward_webhook_oldest_pending_age_seconds',
    help: 'Time since the oldest undelivered message was due; 0 when none is due.',
    read: ({ deliveries }) => [{ value: deliveries.oldest_seconds }],
  },
  {
    name: 'steward_webhook_endpoints_failing',
    help: `Enabled endpoints without a success since a failed attempt, ${capped}.`,
    read: ({ failing }) => [{ value: failing.rows }],
  },
  {
    name: 'steward_webhook_longest_failure_age_seconds',
    help: 'Longest time for which an enabled endpoint has failed without a success; 0 when none fails.',
    read: ({ failing }) => [{ value: failing.oldest_seconds }],
  },
  {
    name: 'steward_notices_waiting',
    help: `Notifications, windows and deliveries that wait to be sent by e-mail or Slack, each ${capped}.`,
    read: ({ notices }) => [{ value: notices.waiting }],
  },
  {
    name: 'steward_notices_oldest_due_age_seconds',
    help: 'Time since the oldest notification, window or delivery was due, except on held channels; 0 when none is due.',
    read: ({ notices }) => [{ value: notices.dueSeconds }],
  },
  {
    name: 'steward_channels_held',
    help: 'Channels of API keys that do not send waiting messages, by kind of channel and by reason.',
    labelNames: ['kind', 'outcome'],
    read: ({ held }) =>
      held.map(({ channel, reason, rows }) => ({ labels: { kind: channel, outcome: reason }, value: rows })),
  },
  {
    name: 'steward_jobs',
    help: `Jobs that have not ended, ${capped}.`,
    labelNames: ['kind', 'status'],
    read: ({ jobs }) => jobs.map((job) => ({ labels: jobLabels(job), value: job.rows })),
  },
  {
    name: 'steward_job_oldest_age_seconds',
    help: 'Age of the oldest job that has not ended; 0 when there is none.',
    labelNames: ['kind', 'status'],
    read: ({ jobs }) => jobs.map((job) => ({ labels: jobLabels(job), value: job.oldest_seconds })),
  },
  {
    name: 'steward_job_age_limit_seconds',
    help: 'Max of steward_job_oldest_age_seconds in normal operation.',
    labelNames: ['kind'],
    read: () =>
      jobKinds.map(({ name, ageLimitSeconds }) => ({ labels: { kind: name }, value: ageLimitSeconds })),
  },
  {
    name: 'steward_default_partition_rows',
    help: `Rows of days without a partition of their own, by table, ${capped}.`,
    labelNames: ['kind'],
    read: ({ partitions }) => partitions.map(({ name, rows }) => ({ labels: { kind: name }, value: rows })),
  },
  {
    name: 'steward_sweep_last_success_timestamp_seconds',
    help: 'Unix time of the last success of each step of the sweep, which runs every 15 s.',
    labelNames: ['kind'],
    read: ({ sweep }) =>
      sweep.map(({ name, succeeded_at }) => ({ labels: { kind: name }, value: succeeded_at })),
  },
  {
    name: 'steward_partitions_rotated_timestamp_seconds',
    help:
      'Unix time when the sweep last created, dropped and emptied partitions without being ' +
      'blocked by a lock.',
    read: ({ sweep }) =>
      sweep.flatMap(({ rotated_at }) => (rotated_at === null ? [] : [{ value: rotated_at }])),
  },
];

function addSharedGauges(registry: Registry, present: () => SharedSample | undefined): void {
  for (const { read, ...gauge } of sharedGauges) {
    addGauge(registry, gauge, () => {
      const sample = present();
      return sample === undefined ? [] : read(sample);
    });
  }
}
