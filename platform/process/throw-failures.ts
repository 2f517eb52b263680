/** Throws the failure of acts that run although others fail; several failures as an AggregateError. */
export function throwFailures(failures: readonly unknown[]): void {
  if (failures.length > 1) throw new AggregateError(failures, 'several failures');
  if (failures.length === 1) throw failures[0];
}
