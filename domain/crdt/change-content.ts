import { createHash } from 'node:crypto';
import { jsonBytes } from '../../platform/json/write-json.ts';
import { invalidMember } from '../errors.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { StoredBytes } from './stored-bytes.ts';
import { runYjs } from './run-yjs.ts';
import type { YjsResult, YjsWork } from './yjs-work.ts';

const refusals = {
  'not-valid': (member: string) =>
    member === 'update' ? 'update is not a valid Yjs update.' : `${member} nests too deep.`,
  'too-large': (member: string) => `${member} makes the content larger than 10 MiB.`,
  'too-costly': (member: string) => `${member} takes too much time or memory to apply.`,
} as const;

/** Content after a change. */
export type ChangedContent = YjsResult & { readonly state: StoredBytes };

/** A requested change: new content, or a Yjs update to merge. */
export type SentChange =
  | { readonly kind: 'replace'; readonly data: unknown }
  | { readonly kind: 'merge'; readonly update: Uint8Array };

/** A requested change, and the content to apply it to. */
export interface ContentWork extends Omit<YjsWork, 'change'> {
  readonly change: SentChange;
  /** Surrogate key of the record; absent for a new one. */
  readonly recordId?: string;
}

/**
 * The Yjs client of all replacements of a record: 32 bits like those that Yjs draws. Two replacements of one base are
 * never both stored, so no clock of this client is used twice.
 */
const clientIdOf = (recordId: string): number =>
  createHash('sha256').update(`crdt ${recordId}`).digest().readUInt32BE();

/**
 * Throws INVALID_ARGUMENT for a change that is invalid or exceeds a limit, UNAVAILABLE for an interrupted one, and the
 * error of Yjs for one that failed.
 */
export async function changeContent(
  tenant: Tenant,
  { recordId, ...work }: ContentWork,
): Promise<ChangedContent> {
  const change =
    work.change.kind === 'merge'
      ? work.change
      : ({
          kind: 'replace',
          json: await jsonBytes(work.change.data),
          ...(recordId !== undefined && { clientId: clientIdOf(recordId) }),
        } as const);
  const response = await runYjs(tenant, { ...work, change });
  if ('result' in response) {
    const { state, decoded } = response.result;
    if (state === null) throw new Error('missing state in the result of a Yjs change');
    return { state, decoded };
  }
  if ('failed' in response) throw response.failed;
  const member = work.change.kind === 'merge' ? 'update' : 'data';
  throw invalidMember(member, refusals[response.refused](member));
}
