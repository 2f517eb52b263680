import { setTimeout as pause } from 'node:timers/promises';
import { obtainHaProxy, startHaProxy, type HaProxy } from '../test/support/haproxy.ts';
import { compare, type Comparison } from './comparison.ts';
import type { Figure } from './figure.ts';
import { load, type Target } from './load.ts';
import type { Bench, Run } from './run.ts';
import type { Site } from './site.ts';
import { activityComparisons, documentComparisons } from './writes.ts';

const connections = 50;
/** Requests of each kind that warm up V8 in every API: the balancer may route a key to any of them. */
const warmUp = { full: 40_000, quick: 15_000 } as const;
/** Requests whose commits are counted. */
const counted = 5_000;

/**
 * Compares single writes of one key through HAProxy to 2 and 4 APIs with one API behind the same balancer. The balancer
 * routes all writes of a key to one API, as docs/deployment.md recommends, or spreads them over all APIs.
 */
export const writeThroughManyProcesses: Bench = async (site, run): Promise<Figure[]> => {
  const program = await obtainHaProxy();
  if (typeof program === 'string') {
    run.show(program);
    return [];
  }
  const urls = [site.api.url];
  while (urls.length < 4) urls.push((await site.startApi({})).url);
  const ports = urls.map((url) => Number(new URL(url).port));
  for (const url of urls) {
    for (const { steward } of singleWrites(site, run.quick)) {
      run.show(`Warming up ${url} …`);
      const amount = warmUp[run.quick ? 'quick' : 'full'];
      await load(at(url, steward), { connections, amount });
    }
  }
  const balancers: HaProxy[] = [];
  const balance = async (apis: number, writesByKey: boolean): Promise<string> => {
    const balancer = await startHaProxy(program, ports.slice(0, apis), { writesByKey });
    balancers.push(balancer);
    return balancer.url;
  };
  try {
    const one = await balance(1, true);
    const figures: Figure[] = [];
    for (const apis of [2, 4]) {
      const urls = { byKey: await balance(apis, true), spread: await balance(apis, false) };
      for (const write of singleWrites(site, run.quick)) {
        figures.push(...(await figuresOf(site, run, write, { apis, one, ...urls })));
      }
    }
    return figures;
  } finally {
    for (const balancer of balancers) await balancer.stop();
  }
};

interface Balancers {
  readonly apis: number;
  /** Balancer URLs: of one API, of `apis` with the writes of a key routed to one of them, and of `apis` in rotation. */
  readonly one: string;
  readonly byKey: string;
  readonly spread: string;
}

const singleWrites = (site: Site, quick: boolean): Comparison[] =>
  (quick ? [documentComparisons] : [documentComparisons, activityComparisons]).flatMap((prepare) =>
    prepare(site).slice(0, 1),
  );

const at = (url: string, target: Target): Target => ({ ...target, url: url + new URL(target.url).pathname });

async function figuresOf(
  site: Site,
  run: Run,
  { name, steward }: Comparison,
  { apis, one, byKey, spread }: Balancers,
): Promise<Figure[]> {
  const alone = at(one, steward);
  const figures: Figure[] = [];
  for (const url of [byKey, spread]) {
    const kept = url === byKey;
    const target = at(url, steward);
    const title = `${name}, one key, ${String(apis)} APIs, ${kept ? 'writes of a key to one' : 'spread'}`;
    run.show(`${title} …`);
    const [figure] = await compare(
      site,
      {
        name: title,
        connections,
        steward: target,
        against: [
          {
            name: '1 API behind the same balancer',
            target: alone,
            ...(kept && { aim: { of: 'ratio', is: 'at least', value: 0.95 } as const }),
          },
        ],
      },
      run,
    );
    if (figure === undefined) throw new Error('missing figure of a comparison');
    // Omits CPU time: it is that of the first API, which may not be the one that writes.
    const { cpu: _first, ...rates } = figure;
    const [many, single] = [await countedOf(site, target), await countedOf(site, alone)];
    const against = (measured: number) => ({ name: '1 API behind the same balancer', measured });
    figures.push(
      rates,
      {
        name: `${title}: commits of 1,000`,
        unit: 'commits',
        steward: many.commits,
        against: against(single.commits),
      },
      {
        name: `${title}: samples in which a session waits for a row, of 1,000`,
        unit: 'samples',
        steward: many.rowWaits,
        against: against(single.rowWaits),
      },
    );
  }
  return figures;
}

interface Counted {
  /** Commits of 1,000 requests, including those of credential lookups. */
  readonly commits: number;
  /** Samples of 1,000 that found a session which waits for a row: for its lock, or for the transaction that wrote it. */
  readonly rowWaits: number;
}

/** Milliseconds between samples of waiting sessions. */
const sampledEveryMs = 10;

async function countedOf({ sql }: Site, target: Target): Promise<Counted> {
  const countCommits = async (): Promise<number> => {
    // Sessions report their commits once a second.
    await sql.query(`select pg_sleep(1.1)`);
    const { rows } = await sql.query<{ commits: number }>(
      'select xact_commit::float8 as commits from pg_stat_database where datname = current_database()',
    );
    return rows[0]?.commits ?? Number.NaN;
  };
  const before = await countCommits();
  const ended = new AbortController();
  const loaded = load(target, { connections, amount: counted }).finally(() => ended.abort());
  const samples = { all: 0, waiting: 0 };
  while (!ended.signal.aborted) {
    const { rows } = await sql.query<{ waits: boolean }>(
      `select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         and wait_event in ('transactionid', 'tuple')) as waits`,
    );
    samples.all += 1;
    if (rows[0]?.waits === true) samples.waiting += 1;
    await pause(sampledEveryMs);
  }
  await loaded;
  // Each sample is a commit of its own.
  const commits = (await countCommits()) - before - samples.all;
  return {
    commits: commits / (counted / 1_000),
    rowWaits: (samples.waiting / samples.all) * 1_000,
  };
}
