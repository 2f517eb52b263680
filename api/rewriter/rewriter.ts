import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '../../domain/errors.ts';
import { messages } from '../../domain/messages.ts';
import { familyOf } from '../../domain/rewriter/model-family.ts';
import { dropStagedRequest, wasBegun } from '../../domain/rewriter/staged-requests.ts';
import type { ModelFamily } from '../../platform/config/configuration.ts';
import type { Notices } from '../../platform/database/notices.ts';
import type { Orm } from '../../platform/database/orm.ts';
import type { TemporalClient } from '../../platform/temporal/temporal-client.ts';
import type { AskAiInput } from '../../workflows/contract.ts';
import { askAiStartOf } from '../../workflows/starts.ts';
import type { ConcurrentCalls } from '../concurrent-calls.ts';
import { TransportError } from '../http/response/transport-error.ts';

export interface RewriterOptions {
  readonly orm: Orm;
  readonly temporal: TemporalClient;
  /** Announces stored responses before their workflows end. */
  readonly notices: Notices;
  readonly families: readonly ModelFamily[];
  readonly concurrentCalls: ConcurrentCalls;
  /** Concurrent calls of an API key without a limit of its own. */
  readonly callsPerKey: number;
  /** Temporal is unavailable when it has started no workflow for this long. */
  readonly temporalWithinMs: number;
  /** Whether calls to other servers are paused: every request is refused. */
  readonly paused: boolean;
  /** Called for every request whose workflow could not start. */
  readonly onFailure: (request: WaitingRequest, reason: string) => void;
}

/** A staged request, its tenant, and the claim of the call that waits for it. */
export interface WaitingRequest extends AskAiInput {
  /** Surrogate key. */
  readonly tenantId: string;
  /** Public id of the API key. */
  readonly keyId: string;
  /** The `X-Request-Id` of the caller. */
  readonly callerRequestId: string | undefined;
  /** See `StagedClaim`. */
  readonly requestedAt: string;
  /** Concurrent calls of the key; null: `callsPerKey`. */
  readonly aiConcurrency: number | null;
}

/** Max milliseconds that a call waits for others of its key: an attempt of 30 s then fits in its 58 s. */
const maxWaitMs = 28_000;

/** Starts of workflows are checked every `pollMs`. */
const times = { pollMs: 100, startMs: 10_000, retryMs: 500, cancelMs: 2_000 } as const;

/** Runs the workflows of staged requests, one instance per API process. It never sees prompts, texts or responses. */
export class Rewriter {
  readonly #options: RewriterOptions;
  /** When Temporal last started a workflow, by `performance.now()`. */
  #lastStartedAt = 0;

  constructor(options: RewriterOptions) {
    this.#options = options;
  }

  familyOf(model: string): ModelFamily | undefined {
    return familyOf(this.#options.families, model);
  }

  /** Resolves once the response is stored or the workflow has ended. Otherwise drops the request and throws a DomainError. */
  async run(request: WaitingRequest, signal: AbortSignal): Promise<void> {
    const { requestId, tenantId, requestedAt } = request;
    const { orm, notices, temporal } = this.#options;
    const claim = { requestId, apiKeyId: tenantId, requestedAt };
    let workflowId: string | undefined;
    try {
      if (this.#options.paused) throw new DomainError('UNAVAILABLE', messages.outgoingPaused);
      const release = await this.#acquire(request, signal);
      const response = notices.await(requestId);
      try {
        const workflow = askAiStartOf(request);
        await this.#start(workflow, request);
        workflowId = workflow.workflowId;
        const responded = await this.#untilEnded(workflowId, signal, response.arrived);
        workflowId = undefined;
        // No worker called the provider, so the service is unavailable, not the provider.
        if (!responded && !(await wasBegun(orm.em.fork(), claim))) throw unavailable();
      } finally {
        response.cancel();
        release();
      }
    } catch (error) {
      const dropped = await dropStagedRequest(orm.em.fork(), claim).catch(
        // The sweep drops the request within an hour; the first error is reported.
        () => false,
      );
      // If a repeated call has claimed the request, it still needs the workflow. Not awaited: the cancellation has its own timeout.
      if (dropped && workflowId !== undefined)
        temporal.cancel(workflowId, times.cancelMs).catch(() => undefined);
      throw error;
    }
  }

  async #acquire({ tenantId, aiConcurrency }: WaitingRequest, signal: AbortSignal): Promise<() => void> {
    const { concurrentCalls, callsPerKey } = this.#options;
    const lane = { kind: 'ai_call', tenantId, max: aiConcurrency ?? callsPerKey } as const;
    const waiting = AbortSignal.any([signal, AbortSignal.timeout(maxWaitMs)]);
    const release = await concurrentCalls.acquire(lane, waiting).catch((error: unknown) => {
      if (!waiting.aborted) throw error;
      throw signal.aborted && !isTimeOut(signal) ? callerGone() : tooMany();
    });
    if (release === undefined) throw tooMany();
    return release;
  }

  /** Many concurrent starts may be slow; Temporal is unavailable only when none of them succeeds. */
  async #start(workflow: ReturnType<typeof askAiStartOf>, request: WaitingRequest): Promise<void> {
    const { temporal, temporalWithinMs } = this.#options;
    const startedAt = performance.now();
    const startMs = Math.max(times.startMs, temporalWithinMs);
    const starting = temporal.start(workflow, startMs).then(() => {
      this.#lastStartedAt = performance.now();
      return true;
    });
    const failed = (error: unknown): never => {
      this.#options.onFailure(request, error instanceof Error ? error.message : String(error));
      throw unavailable();
    };
    for (let overdue = false; ;) {
      const poll = pause(times.pollMs, false, { ref: false });
      if (await Promise.race([starting, poll]).catch(failed)) return;
      const unresponsive = performance.now() - Math.max(startedAt, this.#lastStartedAt) > temporalWithinMs;
      // Requires two polls: after a stall of this process, timers fire before pending responses are read.
      if (unresponsive && overdue) break;
      overdue = unresponsive;
    }
    starting.catch(() => undefined);
    failed(new Error('Temporal did not respond in time.'));
  }

  /** Keeps waiting through short outages of Temporal, which keeps the workflow. Throws when `signal` aborts first. */
  async #untilEnded(workflowId: string, signal: AbortSignal, responded: AbortSignal): Promise<boolean> {
    const { temporal } = this.#options;
    const either = AbortSignal.any([signal, responded]);
    while (!either.aborted) {
      try {
        return await temporal.ended(workflowId, either);
      } catch {
        await pause(times.retryMs, undefined, { signal: either, ref: false }).catch(() => undefined);
      }
    }
    if (responded.aborted) return true;
    throw isTimeOut(signal) ? unavailable() : callerGone();
  }
}

const isTimeOut = ({ reason }: AbortSignal): boolean =>
  typeof reason === 'object' && (reason as Error | null)?.name === 'TimeoutError';

const callerGone = (): DomainError => new DomainError('CANCELLED', 'The caller disconnected.');

const unavailable = (): DomainError =>
  new TransportError('UNAVAILABLE', messages.unavailable, {
    headers: { 'Retry-After': '1' },
    refusal: 'temporal',
  });

const tooMany = (): DomainError =>
  new TransportError('RESOURCE_EXHAUSTED', messages.tooManyAiCalls, {
    headers: { 'Retry-After': '1' },
    refusal: 'ai_calls',
  });
