/**
 * Steps of a deletion that needs no other server: `prepare` commits that further writers are held off, before the transaction
 * that waits for those which hold the rows.
 */
export const closingSteps = {
  limitMs: 15_000,
  reach: async (): Promise<void> => Promise.resolve(),
} as const;
