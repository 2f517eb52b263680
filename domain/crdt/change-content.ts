import { invalidMember } from '../errors.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { doInThread } from './yjs-threads.ts';
import type { YjsResult, YjsWork } from './yjs-work.ts';

const refusals = {
  'not-valid': (member: string) =>
    member === 'update' ? 'update is not a valid Yjs update.' : `${member} nests too deep.`,
  'too-large': (member: string) => `${member} makes the content larger than 10 MiB.`,
  'too-costly': (member: string) => `${member} takes too much time or memory to apply.`,
} as const;

/** The content after a change; throws INVALID_ARGUMENT for one that cannot be made within the limits. */
export async function changeContent(tenant: Tenant, work: YjsWork): Promise<YjsResult> {
  const answer = await doInThread(tenant, work);
  if ('result' in answer) return answer.result;
  const member = work.change.kind === 'merge' ? 'update' : 'data';
  throw invalidMember(member, refusals[answer.refused](member));
}
