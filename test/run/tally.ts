/** The numbers of passed and failed guarantees. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

export const onePassed: Tally = { passed: 1, failed: 0 };
export const oneFailed: Tally = { passed: 0, failed: 1 };
export const nothing: Tally = { passed: 0, failed: 0 };

export function sum(tallies: readonly Tally[]): Tally {
  return {
    passed: tallies.reduce((total, { passed }) => total + passed, 0),
    failed: tallies.reduce((total, { failed }) => total + failed, 0),
  };
}
