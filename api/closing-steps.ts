/**
 * Steps of a deletion that calls no other server: `prepare` commits that further writers are held off. The transaction
 * that follows waits for the writers that hold the rows.
 */
export const closingSteps = {
  limitMs: 15_000,
  reach: async (): Promise<void> => Promise.resolve(),
} as const;
