/** Free metadata members of a record, as sent. */
export type Metadata = Readonly<Record<string, unknown>>;

/** Arguments of a statement that merges metadata: JSON to set, and members to remove. */
export interface MetadataPatch {
  readonly set: string;
  readonly remove: readonly string[];
}

/** Shallow merge: `null` removes a member, any other value replaces it. */
export function metadataPatch(metadata: Metadata): MetadataPatch {
  const entries = Object.entries(metadata);
  if (entries.length === 0) return unchanged;
  return {
    set: JSON.stringify(Object.fromEntries(entries.filter(([, value]) => value !== null))),
    remove: entries.filter(([, value]) => value === null).map(([name]) => name),
  };
}

const unchanged: MetadataPatch = { set: '{}', remove: [] };
