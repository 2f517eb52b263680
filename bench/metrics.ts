import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { choosePort } from '../local/ports.ts';
import { median, type Figure } from './figure.ts';
import { load } from './load.ts';
import type { RecordingTimes } from './recording-switch.ts';
import type { Bench } from './run.ts';

const operation = '/v2/organizations/get';

/** Requests that warm up V8 before the measurement; runs, and requests per run. */
const amounts = {
  full: { warmUp: 40_000, runs: 5, measured: 60_000 },
  quick: { warmUp: 10_000, runs: 3, measured: 10_000 },
} as const;

/**
 * Measures the CPU time of recording a request's metrics: a small read in one API process, with recording alternately
 * on and off.
 */
export const measureMetrics: Bench = async (site, { quick, show, signal }): Promise<Figure[]> => {
  const { warmUp, runs, measured } = amounts[quick ? 'quick' : 'full'];
  const metricsPort = String(await choosePort(undefined));
  const file = join(site.folder, 'recording-times.json');
  const environment = { METRICS_PORT: metricsPort, BENCH_RECORDING_TIMES: file };
  const api = await site.startApi(environment, ['--import', './bench/recording-switch.ts']);
  try {
    const send = (amount: number): Promise<number> => {
      signal.throwIfAborted();
      const body = JSON.stringify({ data: { organizationIds: [site.tenant.organization] } });
      const target = { url: `${api.url}${operation}`, headers: site.tenant.headers, body };
      return load(target, { connections: 50, amount });
    };
    show('organizations/get of 1, with recording and without …');
    await send(warmUp);
    await takeTimes(api.pid, file);
    const times: RecordingTimes[] = [];
    while (times.length < runs) {
      await send(measured);
      times.push(await takeTimes(api.pid, file));
    }
    await checkRecorded(metricsPort, warmUp + runs * measured);
    const on = times.map((run) => run.on.cpu / run.on.requests);
    const off = times.map((run) => run.off.cpu / run.off.requests);
    return [
      {
        name: 'organizations/get of 1: CPU of the API, recording metrics',
        unit: 'µs',
        steward: median(on),
        against: { name: 'not recording', measured: median(off) },
        ratio: median(on.map((one, run) => one / (off[run] ?? Number.NaN))),
        target: { of: 'ratio', is: 'at most', value: 1.03 },
      },
    ];
  } finally {
    await api.stop();
  }
};

/** Makes the process write the times since the last call. Waits up to 10 s. */
async function takeTimes(pid: number, file: string): Promise<RecordingTimes> {
  await rm(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (const until = performance.now() + 10_000; performance.now() < until; await pause(20)) {
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text.endsWith('}')) return JSON.parse(text) as RecordingTimes;
  }
  throw new Error('The API did not report the times of recording.');
}

/** Throws unless half of the requests were recorded: otherwise the switch does not work. */
async function checkRecorded(port: string, sent: number): Promise<void> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const series = `steward_api_requests_total{operation="${operation}",status="200"} `;
  const recorded = Number(
    text
      .split('\n')
      .find((line) => line.startsWith(series))
      ?.slice(series.length),
  );
  if (!(Math.abs(recorded - sent / 2) <= 1_000))
    throw new Error(
      `The API recorded ${String(recorded)} of ${String(sent)} requests instead of half of them.`,
    );
}
