import { z } from 'zod';
import { apiKeyTypes } from '../../../domain/workspaces/api-key.entity.ts';
import type { KeyDetails } from '../../../domain/workspaces/list-keys.ts';
import type { Resumed } from '../../../domain/keys/resume-keys.ts';
import { milliseconds, text } from '../../schemas.ts';
import type { Work } from '../../http/endpoint.ts';

/** The public id of an API key. */
export const keyId = text(200)
  .min(1)
  .meta({ description: 'The public id of an API key (`akid_…`), never the key itself.' });

/** An API key as operators see it. */
export const keyResponse = z.strictObject({
  keyId: z.string(),
  workspaceId: z.string(),
  name: z.string(),
  type: z.enum(apiKeyTypes),
  ownerEmail: z.string(),
  createdAt: milliseconds,
  disabledAt: milliseconds.nullable(),
  disabledBy: z.enum(['operator', 'workspace']).nullable(),
  workspaceDisabledAt: milliseconds.nullable(),
});

export const keyView = ({ id: _id, ...key }: KeyDetails): z.input<typeof keyResponse> => ({
  ...key,
  createdAt: key.createdAt.getTime(),
  disabledAt: key.disabledAt?.getTime() ?? null,
  workspaceDisabledAt: key.workspaceDisabledAt?.getTime() ?? null,
});

/** Starts and wakes, after the commit, what waited for a key. */
export function startResumed(
  { jobs, endpoints }: Resumed,
  { startJob, wakeEndpoint, afterCommit }: Pick<Work, 'startJob' | 'wakeEndpoint' | 'afterCommit'>,
): void {
  afterCommit(() => {
    for (const job of jobs) startJob(job);
    for (const endpoint of endpoints) wakeEndpoint(endpoint);
  });
}
