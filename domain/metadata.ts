/** Free members of a record, as they came. */
export type Metadata = Readonly<Record<string, unknown>>;

/** For a statement that merges metadata: what to set, and which members a `null` removes. */
export interface MetadataPatch {
  readonly set: string;
  readonly remove: readonly string[];
}

/** `null` removes a member, everything else replaces it whole: the merge is shallow. */
export function metadataPatch(metadata: Metadata): MetadataPatch {
  const entries = Object.entries(metadata);
  if (entries.length === 0) return unchanged;
  return {
    set: JSON.stringify(Object.fromEntries(entries.filter(([, value]) => value !== null))),
    remove: entries.filter(([, value]) => value === null).map(([name]) => name),
  };
}

const unchanged: MetadataPatch = { set: '{}', remove: [] };
