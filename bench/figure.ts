/** CPU time of a request in microseconds; undefined where the system does not report it. */
export interface CpuPerRequest {
  readonly server: number;
  readonly postgres: number;
}

export type Unit =
  | 'req/s'
  | 'events/s'
  | 'mails/s'
  | 'events'
  | 'mails'
  | 'calls'
  | 'commits'
  | 'samples'
  | 'µs'
  | 'ms'
  | 's'
  | 'MB'
  | 'kB'
  | 'bytes';

/** A measurement with its baseline and its target. Values are medians in `unit`. */
export interface Figure {
  readonly name: string;
  readonly unit: Unit;
  readonly steward: number;
  readonly against?: { readonly name: string; readonly measured: number };
  /** The median of the ratios of neighboring rounds: a drift of the machine's speed changes it less than the ratio of medians. */
  readonly ratio?: number;
  readonly target?: Target;
  readonly cpu?: { readonly steward: CpuPerRequest; readonly against: CpuPerRequest };
}

export interface Target {
  readonly of: 'ratio' | 'measured';
  readonly is: 'at least' | 'at most';
  readonly value: number;
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [upper, lower] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle) - 1]];
  if (upper === undefined || lower === undefined) throw new Error('An empty list has no median.');
  return (upper + lower) / 2;
}

/** Returns the number that this share of the numbers does not exceed. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Returns whether a figure reaches its target; undefined for a figure without a target. */
export function reached({ target, ratio, steward }: Figure): boolean | undefined {
  if (target === undefined) return undefined;
  const value = target.of === 'ratio' ? ratio : steward;
  if (value === undefined) return false;
  return target.is === 'at least' ? value >= target.value : value <= target.value;
}
