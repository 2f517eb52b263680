/** One user and one resource, in the form sent to the provider. */
export interface AccessCheck {
  readonly userId: string;
  readonly resource: {
    readonly id: string;
    readonly type: string;
    readonly organizationId: string;
    /** Absent at the root. */
    readonly parentFolderId?: string;
  };
}

/** Matches a decision to its check. */
export const accessCheckKey = ({ userId, resource: { id, type, organizationId } }: AccessCheck): string =>
  JSON.stringify([userId, type, organizationId, id]);

/** Checks per provider request. */
const maxChecks = 500;
/** Bytes of checks per request: the response repeats their ids and is limited to 1 MiB. */
const maxBytes = 262_144;

/** Splits checks into requests within both limits. */
export function batchesOf<Check extends AccessCheck>(checks: readonly Check[]): Check[][] {
  const batches: Check[][] = [];
  let bytes = 0;
  for (const check of checks) {
    const size = Buffer.byteLength(accessCheckKey(check));
    const last = batches.at(-1);
    if (last === undefined || last.length === maxChecks || bytes + size > maxBytes) {
      batches.push([check]);
      bytes = size;
    } else {
      last.push(check);
      bytes += size;
    }
  }
  return batches;
}
