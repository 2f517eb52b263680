import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { startCluster, type Stop } from '../../cli/cluster/start-cluster.ts';
import { whenReady } from '../../local/readiness.ts';
import { aiProviders } from '../support/ai-providers.ts';
import { eventually } from '../support/eventually.ts';
import { obtainHaProxy, startHaProxy } from '../support/haproxy.ts';
import { aProxyTo, type Proxy } from '../support/proxy.ts';
import { aSoakedClock } from './clock.ts';
import { faultsOf, processesOf, type SoakedCluster } from './cluster-faults.ts';
import { makeFaults } from './faults.ts';
import { LimitedPace } from './load.ts';
import { observe, type Disturbance, type Site, type SoakOptions, type SoakResult } from './observe.ts';
import type { Outage } from './outage.ts';
import { startReceiver } from './receiver.ts';
import { growthAtTheEnd } from './samples.ts';
import { mountSmallDisk } from './small-disk.ts';
import { aStandbyOf, type SoakedStandby } from './standby.ts';
import { makeTenants, soakEnvironment, tenantNames } from './tenant.ts';

/** Durations and limits in a run of 10 minutes and longer, and in a shorter one, which a slow machine must pass too. */
const long = {
  capacityMs: 30_000,
  faultMs: 20_000,
  restMs: 5_000,
  recoveredWithinMs: 60_000,
  recordedWithinMs: 30_000,
} as const;
const short = {
  capacityMs: 10_000,
  faultMs: 5_000,
  restMs: 1_000,
  recoveredWithinMs: 600_000,
  recordedWithinMs: 300_000,
} as const;
const longFromMs = 600_000;
const timesOf = (durationMs: number): typeof long | typeof short => (durationMs >= longFromMs ? long : short);

/** Enough to saturate two cores, with many of them waiting for jobs. */
const callersPerTenant = 12;

/** Holds the database, its log (at most 2 GB) and room for the run. */
const diskMegabytes = 6_144;

/**
 * Soaks the cluster behind HAProxy: finds the load that it bears, continues with half of it, and makes each fault once.
 * Throws when HAProxy is not available. A fault that this machine cannot make is named in the report.
 */
export async function soakCluster(options: SoakOptions): Promise<SoakResult> {
  const stops: Stop[] = [];
  try {
    const log = join(options.folder, 'steward.log');
    const receiver = await startReceiver();
    stops.push(async () => await receiver.close());
    const soaked = await startSoakedCluster(options, stops, log);
    const { cluster, haProxy, clock, disk } = soaked;
    const { operatorToken, databaseUrl, metricsUrls } = cluster;
    const load = new HalfLoad();
    const site: Site = {
      tenants: await makeTenants({ baseUrl: haProxy.url, operatorToken }, receiver, tenantNames),
      receiver,
      pace: load.pace,
      callersPerTenant,
      log,
      sampled: async () => ({ processes: processesOf(cluster, haProxy), metricsUrls, databaseUrl }),
      disturb: async (disturbance) => await disturb(disturbance, soaked, load),
      growthOf: growthAtTheEnd,
      recordedWithinMs: timesOf(options.durationMs).recordedWithinMs,
      notes: () => [
        `The cluster of \`npm run cluster\` behind HAProxy: two APIs, two workers, ${cluster.temporalServer}, PostgreSQL with a synchronous standby.`,
        load.note,
        ...[clock, disk].flatMap((one) => (typeof one === 'string' ? [`Left out: ${one}`] : [])),
      ],
    };
    return await observe(site, options);
  } finally {
    options.show('Stopping the cluster …');
    for (const stop of stops.toReversed()) await stop();
  }
}

async function startSoakedCluster(
  { show, stopping }: SoakOptions,
  stops: Stop[],
  log: string,
): Promise<SoakedCluster> {
  const balancer = await obtainHaProxy();
  if (typeof balancer === 'string') throw new Error(balancer);
  const folder = await mkdtemp(join(tmpdir(), 'steward-soak-'));
  stops.push(async () => await rm(folder, { recursive: true, force: true }));
  const clock = await aSoakedClock(folder);
  const disk = await mountSmallDisk(diskMegabytes);
  if (typeof disk !== 'string') stops.push(async () => await disk.close());
  const providers = await aiProviders();
  stops.push(async () => await providers.close());
  const output = createWriteStream(log);
  stops.push(async () => await finished(output.end()));
  const proxies = new Map<string, Proxy>();
  stops.push(async () => void (await Promise.all([...proxies.values()].map(async (one) => one.cut()))));
  const postgresFolder = join(typeof disk === 'string' ? folder : disk.folder, 'postgres');
  const standbys: SoakedStandby[] = [];
  // After the APIs and workers, whose commits wait for it.
  stops.push(async () => await standbys.pop()?.close());
  show('Starting the cluster …');
  const cluster = await startCluster({
    folder,
    stops,
    onProgress: show,
    signal: stopping,
    postgresFolder,
    environment: {
      ...providers.environment,
      ...soakEnvironment,
      ...(typeof clock !== 'string' && clock.environment),
    },
    output,
    async route(server, port) {
      const proxy = await aProxyTo(`http://127.0.0.1:${String(port)}`);
      proxies.set(server, proxy);
      return Number(new URL(proxy.url).port);
    },
  });
  const standby = await aStandbyOf(cluster, postgresFolder, folder);
  standbys.push(standby);
  const haProxy = await startHaProxy(
    balancer,
    cluster.baseUrls.map((url) => Number(new URL(url).port)),
  );
  stops.push(async () => await haProxy.stop());
  return { cluster, haProxy, proxies, clock, disk, standby };
}

/** Finds the load that an installation bears, then halves it. */
class HalfLoad {
  readonly pace = new LimitedPace();
  note = 'The load was not limited.';

  async find({ ledger, stop }: Disturbance, duringMs: number): Promise<void> {
    await pause(duringMs, undefined, { signal: stop }).catch(() => undefined);
    const ended = [...ledger.scenarios.values()].reduce((sum, one) => sum + one.ended, 0);
    const perSecond = ended / (duringMs / 1_000);
    this.pace.limit(Math.max(1, perSecond / 2));
    this.note = `Callers ended ${perSecond.toFixed(0)} calls and checks a second without a limit, then half as many.`;
  }
}

async function disturb(
  disturbance: Disturbance,
  soaked: SoakedCluster,
  load: HalfLoad,
): Promise<readonly Outage[]> {
  const { cluster, haProxy } = soaked;
  const { ledger, stop, durationMs } = disturbance;
  for (const [name, program] of cluster.programs)
    void program.ended.then((how) => !stop.aborted && ledger.violated(`${name} ended by itself: ${how}`));
  const { capacityMs, faultMs, restMs, recoveredWithinMs } = timesOf(durationMs);
  await load.find(disturbance, capacityMs);
  return await makeFaults(faultsOf(soaked), {
    ledger,
    stop,
    faultMs,
    restMs,
    recoveredWithinMs,
    async whenRecovered() {
      // `whenReady` gives up after 60 s. Workers are ready only with Temporal.
      for (const url of [...cluster.baseUrls, ...cluster.workerUrls, haProxy.url])
        await eventually(async () => whenReady(url, new AbortController().signal), {
          within: recoveredWithinMs,
        });
    },
  });
}
