/** Kinds of processes that register in the database and export metrics. */
export const processKinds = ['api', 'worker'] as const;
export type ProcessKind = (typeof processKinds)[number];
