import { afterAll, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { exportSharedMetrics } from '../../../domain/maintenance/shared-metrics.ts';
import { returnLease, takeLease } from '../../../domain/maintenance/leases.ts';
import { recordSweepStep } from '../../../domain/maintenance/sweep-steps.ts';
import { startTestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { aTenant } from '../../support/factories.ts';
import { seriesOf } from '../../support/metrics.ts';
import { explain, statementsOf } from '../../support/statements.ts';

const api = await startTestApi();
afterAll(api.close);

/** A sample lasts as long as its lease: longer than a slow machine takes for the next one. */
const times = { sampleMs: 20, leaseMs: 60_000 };

const failures: unknown[] = [];

interface Exporter {
  series(): Promise<ReadonlyMap<string, number>>;
  /** Stops it in order. */
  stop(): Promise<void>;
}

function anExporter({ orm = api.orm, leaseMs = times.leaseMs } = {}): Exporter {
  const registry = new Registry();
  const stopping = new AbortController();
  const exporting = exportSharedMetrics({
    orm,
    provider: 'embedded',
    registry,
    onFailure: (error) => failures.push(error),
    signal: stopping.signal,
    times: { ...times, leaseMs },
  });
  return {
    series: async () => seriesOf(await registry.metrics()),
    stop: async () => {
      stopping.abort();
      await exporting;
    },
  };
}

const sampled = 'steward_shared_metrics_sampled_timestamp_seconds';

/** Returns the values of these series in a sample taken after this call. */
async function sampleOf(names: readonly string[]): Promise<(number | undefined)[]> {
  const exporter = anExporter();
  try {
    const from = Date.now() / 1_000;
    return await eventually(async () => {
      const series = await exporter.series();
      return (series.get(sampled) ?? 0) >= from && names.map((name) => series.get(name));
    });
  } finally {
    await exporter.stop();
  }
}

describe('metrics of shared rows', () => {
  it('are 0 while no event, job or delivery waits', async () => {
    const names = [
      'steward_outbox_events',
      'steward_outbox_oldest_age_seconds',
      'steward_webhook_deliveries_pending',
      'steward_webhook_oldest_pending_age_seconds',
      'steward_webhook_endpoints_failing',
      'steward_webhook_longest_failure_age_seconds',
      'steward_jobs{kind="cascade",status="pending"}',
      'steward_job_oldest_age_seconds{kind="cascade",status="pending"}',
      'steward_default_partition_rows{kind="event"}',
    ];
    expect(await sampleOf(names)).toEqual(names.map(() => 0));
  });

  it('contain number and oldest age of events in the outbox, of all keys', async () => {
    await api.database.sql(`insert into outbox (api_key_id, event_id, event_at)
      select k, n, now() - k * interval '1 minute' from generate_series(1, 3) k, generate_series(1, 2) n`);
    const [events, age] = await sampleOf(['steward_outbox_events', 'steward_outbox_oldest_age_seconds']);
    expect(events).toBe(6);
    expect(age).toBeGreaterThanOrEqual(180);
    expect(age).toBeLessThan(1_800);
    await api.database.sql('delete from outbox');
  });

  it('count up to 10,000 rows', async () => {
    await api.database.sql(
      `insert into outbox (api_key_id, event_id, event_at) select 1, n, now() from generate_series(1, 10100) n`,
    );
    expect(await sampleOf(['steward_outbox_events'])).toEqual([10_000]);
    await api.database.sql('delete from outbox');
  });

  it('find the oldest due delivery behind thousands of endpoints that wait for a retry', async () => {
    const { id } = await aTenant(api);
    await api.database.sql(
      `insert into key_config (api_key_id, kind, config) values ($1, 'advancedwebhook', '{"isEnabled": true}')`,
      [id],
    );
    await api.database.sql(
      `insert into webhook_endpoint (id, api_key_id, public_id, url) overriding system value
       select n, $1, 'many-' || n, 'https://example.com' from generate_series(2001, 6000) n`,
      [id],
    );
    await api.database.sql(
      `insert into delivery (endpoint_id, event_at, event_id, api_key_id, status, next_at)
       select n, now(), n, $1, 0, now() + case n when 6000 then interval '-1 hour' else interval '5 hours' end
       from generate_series(2001, 6000) n`,
      [id],
    );
    const [age] = await sampleOf(['steward_webhook_oldest_pending_age_seconds']);
    expect(age).toBeGreaterThanOrEqual(3_600);
    await api.database.sql('delete from delivery');
    await api.database.sql('delete from webhook_endpoint where id > 2000');
  });

  it('contain the number of pending deliveries and their age since their due time, except those that no worker may deliver and those of endpoints that their rate limit paces', async () => {
    const [{ id: on }, { id: off }] = [await aTenant(api), await aTenant(api)];
    await api.database.sql(
      `insert into key_config (api_key_id, kind, config) values ($1, 'advancedwebhook', '{"isEnabled": true}')`,
      [on],
    );
    await api.database.sql(
      `insert into webhook_endpoint (id, api_key_id, public_id, url) overriding system value
       select n, case when n = 105 then $2::bigint else $1::bigint end, 'waiting-' || n, 'https://example.com'
       from generate_series(101, 108) n`,
      [on, off],
    );
    // Of the application at Svix.
    await api.database.sql('update webhook_endpoint set kind = 3 where id = 106');
    await api.database.sql(`insert into webhook_pause (api_key_id, endpoint_id) values ($1, 104)`, [on]);
    // A limited endpoint that is served, and one that is not.
    await api.database.sql('update webhook_endpoint set rate_limit = 1 where id in (107, 108)');
    await api.database.sql(
      `insert into attempt (event_at, event_id, api_key_id, endpoint_id, no, at, trigger, status, ms)
       values (now(), 1, $1, 107, 1, now() + interval '1 hour', 0, 0, 1),
         (now(), 1, $1, 108, 1, now() - interval '2 hours', 0, 0, 1)`,
      [on],
    );
    const due = (endpoint: number, next: string, status = 0) =>
      `(${endpoint}, now(), ${endpoint}, 1, ${status}, ${next})`;
    await api.database
      .sql(`insert into delivery (endpoint_id, event_at, event_id, api_key_id, status, next_at) values
      ${[
        due(101, `now() + interval '1 hour'`),
        due(102, `now() - interval '5 minutes'`),
        due(107, `now() - interval '10 hours'`),
        due(108, `now() - interval '1 hour'`),
        due(103, 'null', 1),
        due(104, `now() - interval '10 hours'`),
        due(105, `now() - interval '10 hours'`),
        due(106, `now() - interval '10 hours'`),
      ].join(', ')}`);
    const [pending, age] = await sampleOf([
      'steward_webhook_deliveries_pending',
      'steward_webhook_oldest_pending_age_seconds',
    ]);
    expect(pending).toBe(7);
    expect(age).toBeGreaterThanOrEqual(3_600);
    expect(age).toBeLessThan(20_000);
    await api.database.sql('delete from delivery');
    await api.database.sql('delete from attempt');
  });

  it('contain held channels on which something waits, by kind and reason, except those of disabled keys', async () => {
    const keys = [await aTenant(api), await aTenant(api), await aTenant(api), await aTenant(api)];
    const [delivery, notice, idle, disabled] = keys.map(({ id }) => id);
    await api.database.sql(
      'insert into channel_state (api_key_id, channel, reason) select unnest($1::bigint[]), 1, 6',
      [[delivery, notice, idle, disabled]],
    );
    await api.database.sql(
      `insert into outgoing (public_id, api_key_id, org_id, user_id, channel, digest, next_at)
       select 'held-' || k, k, 1, k, c, false, now()
       from (values ($1::bigint, 1), ($2::bigint, 2), ($3::bigint, 1)) as waiting (k, c)`,
      [delivery, idle, disabled],
    );
    await api.database.sql(
      `insert into notice (notification_id, document_id, api_key_id, org_id, user_id, channel, state, why, verify, audience, in_inbox, due_at)
       values (1, 1, $1, 1, 1, 1, 0, 1, false, 1, true, now())`,
      [notice],
    );
    await api.database.sql('update api_key set disabled_at = now() where id = $1', [disabled]);
    const held = (reason: string, kind = 'email') =>
      `steward_channels_held{kind="${kind}",outcome="${reason}"}`;
    expect(
      await sampleOf([held('unreachable'), held('unreachable', 'slack'), held('credentials-refused')]),
    ).toEqual([2, 0, 0]);
    for (const table of ['channel_state', 'outgoing', 'notice'])
      await api.database.sql(`delete from ${table} where true`);
  });

  it('contain jobs by kind and state, with the age of the oldest', async () => {
    const { id } = await aTenant(api);
    await api.database.sql(
      `insert into job (api_key_id, public_id, kind, status, created_at)
       select $1, 'metrics-' || n, case when n < 3 then 4 else 1 end, case when n = 2 then 2 else n % 2 end,
         now() - n * interval '1 hour' from generate_series(1, 5) n`,
      [id],
    );
    const [cascades, none, moves, age] = await sampleOf([
      'steward_jobs{kind="cascade",status="in_progress"}',
      'steward_jobs{kind="cascade",status="pending"}',
      'steward_jobs{kind="document-migration",status="in_progress"}',
      'steward_job_oldest_age_seconds{kind="document-migration",status="in_progress"}',
    ]);
    expect([cascades, none, moves]).toEqual([1, 0, 2]);
    expect(Math.floor((age ?? 0) / 3_600)).toBe(5);
    await api.database.sql('delete from job');
  });

  it('exclude the events and jobs of a disabled key from the ages', async () => {
    const { id } = await aTenant(api);
    await api.database.sql('update api_key set disabled_at = now() where id = $1', [id]);
    await api.database.sql(
      `insert into outbox (api_key_id, event_id, event_at) values ($1, 1, now() - interval '1 hour')`,
      [id],
    );
    await api.database.sql(
      `insert into job (api_key_id, public_id, kind, status, created_at)
       values ($1, 'of-a-disabled-key', 1, 1, now() - interval '1 hour')`,
      [id],
    );
    const sample = await sampleOf([
      'steward_outbox_events',
      'steward_outbox_oldest_age_seconds',
      'steward_jobs{kind="document-migration",status="in_progress"}',
      'steward_job_oldest_age_seconds{kind="document-migration",status="in_progress"}',
    ]);
    expect(sample).toEqual([1, 0, 1, 0]);
    await api.database.sql('delete from outbox');
    await api.database.sql('delete from job');
  });

  it('contain the number of enabled endpoints that fail, and how long those to which messages are sent have failed', async () => {
    const [{ id }, { id: off }] = [await aTenant(api), await aTenant(api)];
    await api.database.sql(
      `insert into key_config (api_key_id, kind, config)
       values ($1, 'advancedwebhook', '{"isEnabled": true}'), ($2, 'advancedwebhook', '{"isEnabled": false}')`,
      [id, off],
    );
    // 3 is disabled, 5 does not fail, 6 is of the application at Svix, and 8 of a key whose webhooks are off.
    await api.database.sql(
      `insert into webhook_endpoint (api_key_id, public_id, url, failing_since, disabled_at, kind)
       select case when n = 8 then $2::bigint else $1::bigint end, 'metrics-' || n, 'https://example.com',
         case when n <> 5 then now() - n * interval '1 hour' end,
         case when n = 3 then now() end, case when n = 6 then 3 else 0 end from generate_series(1, 8) n`,
      [id, off],
    );
    // 7 has no pending message.
    await api.database.sql(
      `insert into delivery (endpoint_id, event_at, event_id, api_key_id, status, next_at)
       select e.id, now(), 1, $1, case when e.public_id = 'metrics-7' then 2 else 0 end, now() + interval '1 hour'
       from webhook_endpoint e where e.public_id like 'metrics-%'`,
      [id],
    );
    await api.database.sql(
      `insert into webhook_pause (api_key_id, endpoint_id) select $1, id from webhook_endpoint where public_id = 'metrics-4'`,
      [id],
    );
    const [failing, age] = await sampleOf([
      'steward_webhook_endpoints_failing',
      'steward_webhook_longest_failure_age_seconds',
    ]);
    expect(failing).toBe(6);
    expect(Math.floor((age ?? 0) / 3_600)).toBe(2);
    await api.database.sql('delete from delivery');
  });

  it('contain rows of default partitions by table', async () => {
    await api.database.sql(
      `insert into delivery (endpoint_id, event_at, event_id, api_key_id, status) values (1, '2000-01-01', 1, 1, 2)`,
    );
    const names = ['delivery', 'event'].map((kind) => `steward_default_partition_rows{kind="${kind}"}`);
    expect(await sampleOf(names)).toEqual([1, 0]);
    await api.database.sql('delete from delivery');
  });

  it('contain the last success of each step of the sweep, once it has run', async () => {
    const names = ['keep_house', 'start_waiting_jobs'].map(
      (step) => `steward_sweep_last_success_timestamp_seconds{kind="${step}"}`,
    );
    expect(await sampleOf(names)).toEqual([undefined, undefined]);
    await recordSweepStep(api.orm.em.fork(), 'keep_house');
    const [at, never] = await sampleOf(names);
    expect(never).toBe(0);
    expect(Math.abs(Date.now() / 1_000 - (at ?? 0))).toBeLessThan(60);
  });

  it('come from bounded statements that use an index or read a default partition', async () => {
    const sent = await statementsOf(async () => sampleOf([sampled]));
    const statements = sent.filter(({ text }) => /^(select|with|insert)/.test(text));
    expect(statements.length).toBeGreaterThan(6);
    for (const statement of statements.filter(({ text }) => !text.startsWith('insert'))) {
      const { wholeTables } = await explain(api.database, statement);
      const bounded = wholeTables.filter((table) => !table.endsWith('_default') && table !== 'sweep_step');
      expect({ text: statement.text, bounded }).toEqual({ text: statement.text, bounded: [] });
      expect(statement.text).not.toMatch(/count\(\*\)(?!::int from \(select .* limit 10000\))/s);
    }
  });
});

describe('the lease of the metrics of shared rows', () => {
  it('allows one of several processes to export them', async () => {
    const exporters = [anExporter(), anExporter(), anExporter()];
    const holders = async () => {
      const all = await Promise.all(exporters.map((exporter) => exporter.series()));
      return all.filter((series) => series.has(sampled)).length;
    };
    await eventually(async () => (await holders()) === 1);
    for (let check = 0; check < 20; check += 1) expect(await holders()).toBeLessThanOrEqual(1);
    await Promise.all(exporters.map((exporter) => exporter.stop()));
  });

  it('moves to another process at once when its holder stops', async () => {
    const first = anExporter();
    await eventually(async () => (await first.series()).has(sampled));
    const second = anExporter();
    await first.stop();
    await eventually(async () => (await second.series()).has(sampled));
    expect((await first.series()).has(sampled)).toBe(false);
    await second.stop();
  });

  it('moves to another process when its holder is killed', async () => {
    const dead = { name: 'shared-metrics', holder: 'a process that was killed' };
    expect(await takeLease(api.orm.em.fork(), dead, 600)).toBe(true);
    const exporter = anExporter();
    await eventually(async () => (await exporter.series()).has(sampled));
    expect(await takeLease(api.orm.em.fork(), dead, 600)).toBe(false);
    await exporter.stop();
  });

  it('stays with its holder until it expires, and is not ended by another holder’s release', async () => {
    const [one, other] = ['one', 'other'].map((holder) => ({ name: 'a-lease', holder }));
    if (one === undefined || other === undefined) throw new Error('unreachable');
    const em = () => api.orm.em.fork();
    expect(await takeLease(em(), one, 60_000)).toBe(true);
    expect(await takeLease(em(), one, 60_000)).toBe(true);
    expect(await takeLease(em(), other, 60_000)).toBe(false);
    await returnLease(em(), other);
    expect(await takeLease(em(), other, 60_000)).toBe(false);
    await returnLease(em(), one);
    expect(await takeLease(em(), other, 60_000)).toBe(true);
  });

  it('is lost by a process that cannot reach PostgreSQL, whose last sample expires with it', async () => {
    let unreachable = false;
    const orm = {
      ...api.orm,
      get em() {
        return unreachable ? (undefined as never) : api.orm.em;
      },
    };
    const exporter = anExporter({ orm, leaseMs: 3_000 });
    await eventually(async () => (await exporter.series()).has(sampled));
    unreachable = true;
    await eventually(async () => !(await exporter.series()).has(sampled));
    expect(failures.length).toBeGreaterThan(0);
    unreachable = false;
    await exporter.stop();
  });
});
