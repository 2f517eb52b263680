/** Rows of each list that the benches of the console load. */
export interface ConsoleSizes {
  organizations: number;
  documents: number;
  users: number;
  messages: number;
  jobs: number;
}

/** Sizes of the full run and of a quick one. */
export const consoleSizes = {
  full: {
    organizations: 1_000_000,
    documents: 1_000_000,
    users: 1_000_000,
    messages: 1_000_000,
    jobs: 100_000,
  },
  quick: { organizations: 20_000, documents: 20_000, users: 20_000, messages: 20_000, jobs: 10_000 },
} as const satisfies Readonly<Record<string, ConsoleSizes>>;

export const sizeNames = Object.keys(consoleSizes.full) as (keyof ConsoleSizes)[];
