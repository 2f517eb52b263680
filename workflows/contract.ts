import type { AiProvider } from '../domain/configuration/kinds/api-key.ts';
import type { DeletionPhase } from '../domain/deletion/deletion-phases.ts';
import type { PersonalDataCounts } from '../domain/deletion/stores/personal-data-store.ts';
import type { SentChannel } from '../domain/notices/channels.ts';
import type { JobResult } from '../domain/jobs/job-result.ts';

/*
 * The contract between clients, workflows and activities: names, queues, ids, arguments. Imports types only.
 * Arguments, ids and search attributes carry public ids of jobs, API keys and endpoints, and customers' organization ids;
 * never users, content or secrets.
 */

/** Task queue of workflow tasks. */
export const workflowQueue = 'steward';
/** Task queue of activities that work on the database in chunks. */
export const databaseQueue = 'steward-database';
/** Task queue of activities that delete user data, so that deletions do not delay other jobs. */
export const deletionQueue = 'steward-deletion';

/** Task queue of activities that create webhook messages from events. Each runs for up to 30 s, so it must not delay jobs. */
export const dispatchQueue = 'steward-webhook-dispatch';
/** Task queue of activities that send messages to customers' servers. Slow servers delay only this queue. */
export const deliveryQueue = 'steward-webhook-delivery';

/** Task queues of activities that send notifications, so that the provider of one channel delays no other. */
export const senderQueues = {
  email: 'steward-notification-email',
  slack: 'steward-notification-slack',
} as const satisfies Record<SentChannel, string>;

/** Task queue of calls to each AI provider, so that a slow provider does not delay the others. */
export const rewriterQueues = {
  openai: 'steward-ai-openai',
  anthropic: 'steward-ai-anthropic',
  gemini: 'steward-ai-gemini',
} as const satisfies Record<AiProvider, string>;

/** Task queue of activities that provision keys at the webhook provider, so that its outage delays nothing else. */
export const provisioningQueue = 'steward-provisioning';

/** Header of workflows, signals and activities that contains their `Origin`. */
export const originHeader = 'steward-origin';

/** The request that started a workflow. */
export interface Origin {
  /** The id in its log lines and its response. */
  readonly requestId?: string;
  /** W3C trace context of the parent span; absent while tracing is off. */
  readonly traceparent?: string | undefined;
}

/** A run of a workflow that has ended, for its span. Times in milliseconds since the epoch. */
export interface EndedRun {
  /** W3C trace context of the parent. */
  readonly traceparent: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly failed: boolean;
}

/** Functions of the worker that workflows call. */
export type WorkflowSinks = { readonly spans: { ended(run: EndedRun): void } };

export interface JobInput {
  readonly jobId: string;
}

/** The result of a turn: up to 5 s of work on a job. An unfinished job needs another turn. */
export interface TurnResult {
  readonly finished: boolean;
}

/** `from`: the position at which an earlier run of the same job stopped. */
export interface CascadeInput extends JobInput {
  readonly from?: number;
}

export interface CascadeStep {
  readonly finished: boolean;
  readonly from?: number;
}

/** A deletion of user data that has started. */
export interface BegunDeletion {
  /** Public id of the API key: the fairness key of the deletion. */
  readonly tenant: string;
  readonly dryRun: boolean;
  /** Milliseconds until the deletion is late. */
  readonly lateInMs: number;
  /** Records by kind, of earlier runs of the workflow. Absent from histories of earlier releases. */
  readonly counts?: PersonalDataCounts;
}

export interface DeletionStep {
  /** `ended`: the deletion has ended or was canceled. */
  readonly state: 'more' | 'finished' | 'ended';
  /** Records by kind, of the whole deletion so far. */
  readonly counts: PersonalDataCounts;
}

/** Result of a verification scan. `found`: records are left that must be deleted. */
export type ScanResult = 'clean' | 'found' | 'ended';

/** Response to the query `progress` of a deletion's workflow, and its memo `progress`. */
export interface DeletionProgress {
  readonly phase: DeletionPhase | 'counting' | JobResult['status'] | null;
  readonly counts: PersonalDataCounts;
}

/** Derived from the job's id, so a second start is harmless. */
export const workflowIdOf = (job: { readonly kind: string; readonly jobId: string }): string =>
  `${job.kind}/${job.jobId}`;

/** Custom search attributes, all keywords. The worker registers them at startup. SQL visibility allows ten. */
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
  send: 'notification-send',
  askAi: 'ai-call',
  sweep: 'sweep',
} as const;

export interface AskAiInput {
  /** Id of the row that stores the encrypted request. */
  readonly requestId: string;
  readonly provider: AiProvider;
}

/** Timeouts of an AI call in milliseconds. Each outlasts the one inside it, so the inner one reports the failure. */
export const askAiLimits = { activity: 60_000, workflow: 62_000, caller: 64_000 } as const;

/** The public id of an API key with undispatched events. */
export interface DispatchInput {
  readonly keyId: string;
}

/** The public ids of an endpoint and of its API key. */
export interface DeliveryInput extends DispatchInput {
  readonly endpointId: string;
}

/**
 * The argument of workflows that began under 0.1.0, when API keys had no public ids, instead of `keyId`. Remove it in 0.4.0.
 * `tenantId`: surrogate key of the API key.
 */
export interface FormerKeyInput {
  readonly tenantId: string;
}

/** The result of up to 25 s of deliveries. */
export interface DeliveryStep {
  /** Milliseconds until the next message is due; absent when no message waits. */
  readonly nextIn?: number;
  /** Attempts of this turn. Absent from histories of releases that did not count them. */
  readonly attempted?: number;
  readonly delivered?: number;
}

/** `KeyChannel` under the names of recorded histories. `tenantId`: public id of the API key, `keyId` elsewhere. */
export interface SendInput {
  readonly tenantId: string;
  readonly channel: SentChannel;
}

/** `now`: the workflow's time, in milliseconds since the epoch. */
export interface SendTurn extends SendInput {
  readonly now: number;
}

/** The result of one turn of sending. */
export interface SendStep {
  /** Milliseconds until the next turn; absent when nothing waits. */
  readonly nextIn?: number;
  /** Counted up to 1,000. */
  readonly counts: {
    readonly waiting: number;
    readonly due: number;
    readonly sent: number;
    readonly held: boolean;
  };
}

/** Response to the query `lane` of a sender, as of its last turn. */
export interface Lane {
  readonly waiting: number;
  readonly due: number;
  readonly held: boolean;
  /** Milliseconds since the epoch; null when nothing waits. */
  readonly nextAt: number | null;
}

export const laneQuery = 'lane';

/** Signals that there may be work. It has no payload. */
export const wakeSignal = 'wake';
