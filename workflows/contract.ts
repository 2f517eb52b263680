import type { AiProvider } from '../domain/configuration/kinds/api-key.ts';
import type { DeletionPhase } from '../domain/deletion/deletion-phases.ts';
import type { PersonCounts } from '../domain/deletion/places/place.ts';
import type { EndedJob } from '../domain/jobs/job-result.ts';

/*
 * What both sides of Temporal may know: names, queues, ids, arguments. Imports types only.
 * Arguments, ids and search attributes carry public ids of jobs, API keys and endpoints, and customers' organization ids;
 * never users, content or secrets.
 */

/** Task queue of the workflows themselves. */
export const workflowQueue = 'steward';
/** Task queue of activities that work on the database in chunks. */
export const databaseQueue = 'steward-database';
/** Task queue of activities that delete people's data: however many there are, other jobs do not wait for them. */
export const deletionQueue = 'steward-deletion';

/** Task queue of activities that make messages of events. Each works for a while, so jobs do not wait for them. */
export const dispatchQueue = 'steward-webhook-dispatch';
/** Task queue of activities that send messages to customers' servers, however slow those are. */
export const deliveryQueue = 'steward-webhook-delivery';

/** Task queue of calls to each AI provider: one that is slow keeps no other waiting. */
export const rewriterQueues = {
  openai: 'steward-ai-openai',
  anthropic: 'steward-ai-anthropic',
  gemini: 'steward-ai-gemini',
} as const satisfies Record<AiProvider, string>;

/** Task queue of what makes keys known to whoever serves their webhooks: an outage there keeps nothing else waiting. */
export const provisioningQueue = 'steward-provisioning';

export interface JobInput {
  readonly jobId: string;
}

/** What a turn of work came to; a job that is not finished needs another one. */
export interface TurnEnd {
  readonly finished: boolean;
}

/** `from`: the place at which an earlier run of the same job stopped. */
export interface CascadeInput extends JobInput {
  readonly from?: number;
}

export interface CascadeStep {
  readonly finished: boolean;
  readonly from?: number;
}

export interface NotifyStep {
  readonly finished: boolean;
}

/** A deletion of people's data that was taken in hand. */
export interface BegunDeletion {
  /** Public id of the API key, by which deletions take turns. */
  readonly tenant: string;
  readonly dryRun: boolean;
  /** Milliseconds until it is late. */
  readonly lateInMs: number;
}

export interface DeletionStep {
  /** `ended`: the deletion has ended, or was cancelled. */
  readonly state: 'more' | 'finished' | 'ended';
  /** By kind, of the whole deletion so far. */
  readonly counts: PersonCounts;
}

/** `found`: something is left that must be deleted. */
export type Verdict = 'clean' | 'found' | 'ended';

/** What a deletion's workflow answers to the query `progress`, and shows as its memo. */
export interface DeletionProgress {
  readonly phase: DeletionPhase | 'counting' | EndedJob['status'] | null;
  readonly counts: PersonCounts;
}

/** Shown as the memo `result` of a migration's or a deletion's workflow. */
export type JobResult = EndedJob;

/** Made of the job's id: starting twice is harmless. */
export const workflowIdOf = (job: { readonly kind: string; readonly jobId: string }): string =>
  `${job.kind}/${job.jobId}`;

/** Custom search attributes, all keywords; the worker registers them at startup. SQL visibility has room for ten. */
export const searchAttributes = {
  jobId: 'StewardJobId',
  jobKind: 'StewardJobKind',
  organizationId: 'StewardOrganizationId',
  keyId: 'StewardKeyId',
  endpointId: 'StewardEndpointId',
} as const;

/** Values of `StewardJobKind` for workflows that are not jobs. */
export const workflowKinds = {
  dispatch: 'webhook-dispatch',
  delivery: 'webhook-delivery',
  askAi: 'ai-call',
  sweep: 'sweep',
} as const;

export interface AskAiInput {
  /** Of the row in which the request waits, encrypted. */
  readonly requestId: string;
  readonly provider: AiProvider;
}

/** Milliseconds: when a request to a provider is given up by its activity, its workflow and its caller, each a little later. */
export const askAiLimits = { activity: 60_000, workflow: 62_000, caller: 64_000 } as const;

/** An API key whose events wait, by its public id. */
export interface DispatchInput {
  readonly keyId: string;
}

/** An endpoint, and the API key that it belongs to, by their public ids. */
export interface DeliveryInput extends DispatchInput {
  readonly endpointId: string;
}

/** In the place of `keyId` in workflows that the release before public ids of keys has started: the surrogate key. */
export interface FormerKeyInput {
  readonly tenantId: string;
}

/** How a turn of deliveries went. */
export interface DeliveryStep {
  /** Milliseconds until something is due again; absent when nothing waits. */
  readonly nextIn?: number;
  /** Attempts of this turn. Absent from histories of releases before they were counted. */
  readonly attempted?: number;
  readonly delivered?: number;
}

/** Tells a workflow that there may be work. It carries nothing. */
export const wakeSignal = 'wake';
