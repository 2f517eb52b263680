/** A `serious` finding stops a part of the deployment; a `warning` does not yet. */
export type Level = 'ok' | 'warning' | 'serious';

/** The result of a check, in one sentence without secrets. */
export interface Finding {
  readonly check: string;
  readonly level: Level;
  readonly text: string;
}

export const finding = (check: string, level: Level, text: string): Finding => ({ check, level, text });

/** What to check when a statement on a database that responds has failed. */
export const remedyOfStatements = 'check the privileges of the role, and locks in pg_stat_activity';

/** A check that fails returns `failed` as a serious finding. Errors are not shown: they may hold values. */
export async function guarded(
  check: string,
  failed: string,
  work: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await work();
  } catch {
    return [finding(check, 'serious', failed)];
  }
}
