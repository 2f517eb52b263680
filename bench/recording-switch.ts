import { writeFileSync } from 'node:fs';
import { RequestMetrics } from '../api/http/request-metrics.ts';

/** CPU microseconds of the process and numbers of requests, with recording on and off. */
export interface RecordingTimes {
  readonly on: { cpu: number; requests: number };
  readonly off: { cpu: number; requests: number };
}

/** Short enough that garbage collections and other processes affect both states equally. */
const requestsOfSlice = 500;

/*
 * The metrics bench loads this module before `api/main.ts`. It switches recording off or on every 500 requests. One process measures both, because two processes of the same code differ by more than recording costs. On SIGUSR2 it writes the times to the file BENCH_RECORDING_TIMES and resets them.
 */
// oxlint-disable-next-line typescript/unbound-method -- called with its own object
const { record } = RequestMetrics.prototype;
const fresh = (): RecordingTimes => ({ on: { cpu: 0, requests: 0 }, off: { cpu: 0, requests: 0 } });
let times = fresh();
let state: keyof RecordingTimes = 'on';
let sliceBegan = process.cpuUsage();
let requests = 0;

RequestMetrics.prototype.record = function (operation, status, seconds, refusal): void {
  if (state === 'on') record.call(this, operation, status, seconds, refusal);
  requests += 1;
  if (requests < requestsOfSlice) return;
  const { user, system } = process.cpuUsage(sliceBegan);
  times[state].cpu += user + system;
  times[state].requests += requests;
  state = state === 'on' ? 'off' : 'on';
  requests = 0;
  sliceBegan = process.cpuUsage();
};

process.on('SIGUSR2', () => {
  writeFileSync(process.env['BENCH_RECORDING_TIMES'] ?? '', JSON.stringify(times));
  times = fresh();
});
