import { setTimeout as pause } from 'node:timers/promises';
import { readDisabled } from '../../domain/credentials/read-disabled.ts';
import { DomainError } from '../../domain/errors.ts';
import { messages } from '../../domain/messages.ts';
import { familyOf } from '../../domain/rewriter/model-family.ts';
import { dropStagedRequest, readProgress, type StagedClaim } from '../../domain/rewriter/staged-requests.ts';
import type { ModelFamily } from '../../platform/config/configuration.ts';
import type { ChannelListener } from '../../platform/database/channel-listener.ts';
import { errorMessage } from '../../platform/process/error-message.ts';
import type { Orm } from '../../platform/database/orm.ts';
import type { TemporalClient } from '../../platform/temporal/temporal-client.ts';
import type { AskAiInput } from '../../workflows/contract.ts';
import { askAiStartOf } from '../../workflows/starts.ts';
import type { ConcurrentCalls, Release } from '../http/caller/concurrent-calls.ts';
import { checkActive } from '../http/caller/check-active.ts';
import { callerClosed } from '../http/response/transport-error.ts';
import { isTimeOut, temporalUnavailable, tooMany } from './refusals.ts';

export interface RewriterOptions {
  readonly orm: Orm;
  readonly temporal: TemporalClient;
  /** Announces stored responses before their workflows end. */
  readonly listener: ChannelListener;
  readonly families: readonly ModelFamily[];
  readonly concurrentCalls: ConcurrentCalls;
  /** Concurrent calls of an API key without a limit of its own. */
  readonly callsPerKey: number;
  /** Temporal is unavailable when it has started no workflow for this long. */
  readonly temporalWithinMs: number;
  /** Whether calls to other servers are paused: every request is refused. */
  readonly paused: boolean;
  /** Aborts when the process ends: its calls then stop counting, so none is waited for. */
  readonly closing: AbortSignal;
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

/** A call that failed, or whose caller has gone. */
interface Abandoned {
  /** Result of `dropStagedRequest`; unknown when PostgreSQL failed. */
  readonly dropped: Awaited<ReturnType<typeof dropStagedRequest>> | 'unknown';
  /** Whether Temporal has confirmed the start of the workflow. */
  readonly started: boolean;
  /** Ends the call for the limit of its key. */
  readonly release: Release;
}

/** Max milliseconds that a call waits for others of its key: an attempt of 30 s then fits in its 58 s. */
const maxWaitMs = 28_000;

/**
 * Starts of workflows are checked every `pollMs`. An abandoned call counts for at most `abandonedMs`: a provider call
 * ends after 30 s. After the end of its workflow it counts for `heartbeatMs`: by then its worker has sent a heartbeat, whose
 * response ends the provider call.
 */
const times = {
  pollMs: 100,
  startMs: 10_000,
  retryMs: 500,
  cancelMs: 2_000,
  abandonedMs: 35_000,
  heartbeatMs: 8_000,
} as const;

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
    const claim = { requestId, apiKeyId: tenantId, requestedAt };
    const workflow = askAiStartOf(request);
    let release: Release | undefined;
    let started = false;
    try {
      if (this.#options.paused) throw new DomainError('UNAVAILABLE', messages.outgoingPaused);
      release = await this.#acquire(request, signal);
      const response = this.#options.listener.expect(requestId);
      try {
        await this.#start(workflow, request);
        started = true;
        const responded = await this.#untilEnded(workflow.workflowId, claim, signal, response.arrived);
        if (!responded) await this.#checkResponse(claim);
      } finally {
        response.cancel();
      }
      void release();
    } catch (error) {
      // When PostgreSQL fails, the sweep drops the request within an hour. The first error is reported.
      const dropped = await dropStagedRequest(this.#options.orm.em.fork(), claim).catch(
        () => 'unknown' as const,
      );
      if (release !== undefined) this.#leave(workflow.workflowId, { dropped, started, release });
      throw error;
    }
  }

  /** Never throws. */
  async #hasResponded(claim: StagedClaim): Promise<boolean> {
    const progress = await readProgress(this.#options.orm.em.fork(), claim).catch(() => undefined);
    return progress?.responded === true;
  }

  /** Throws for a workflow that ended without a response, unless its provider calls took too long. */
  async #checkResponse(claim: StagedClaim): Promise<void> {
    const em = this.#options.orm.em.fork();
    const progress = await readProgress(em, claim);
    if (progress?.responded === true) return;
    // The workflow also ends when its key is disabled.
    checkActive({ disabled: await readDisabled(em, claim.apiKeyId) });
    // No worker called the provider, so the service is unavailable, not the provider.
    if (progress?.begun !== true) throw temporalUnavailable();
  }

  /** Cancels the workflow of an abandoned request, and releases its slot as soon as no provider call of it runs. */
  #leave(workflowId: string, { dropped, started, release }: Abandoned): void {
    const cancel = async (): Promise<void> => {
      // If a repeated call has claimed the request, it still needs the workflow.
      if (dropped !== undefined && dropped !== 'unknown')
        await this.#options.temporal.cancel(workflowId, times.cancelMs);
    };
    // Not awaited: the caller gets its error now.
    if (dropped === 'unknown' || dropped?.begun === true) {
      void this.#releaseAfterEnd(workflowId, cancel, release);
      return;
    }
    void release();
    if (started) cancel().catch(() => undefined);
  }

  /** Never throws. */
  async #releaseAfterEnd(workflowId: string, cancel: () => Promise<void>, release: Release): Promise<void> {
    const { temporal, closing } = this.#options;
    const given = AbortSignal.any([AbortSignal.timeout(times.abandonedMs), closing]);
    for (let ended = false; !ended && !given.aborted;) {
      try {
        await cancel();
        await temporal.ended(workflowId, given);
        ended = true;
        await pause(times.heartbeatMs, undefined, { signal: given, ref: false });
      } catch {
        await pause(times.retryMs, undefined, { signal: given, ref: false }).catch(() => undefined);
      }
    }
    // The rows of a process that ends are deleted after it.
    if (!closing.aborted) void release();
  }

  async #acquire({ tenantId, aiConcurrency }: WaitingRequest, signal: AbortSignal): Promise<Release> {
    const { concurrentCalls, callsPerKey } = this.#options;
    const lane = { kind: 'ai_call', tenantId, max: aiConcurrency ?? callsPerKey } as const;
    const waiting = AbortSignal.any([signal, AbortSignal.timeout(maxWaitMs)]);
    const release = await concurrentCalls.acquire(lane, waiting).catch((error: unknown) => {
      if (!waiting.aborted) throw error;
      throw signal.aborted && !isTimeOut(signal) ? callerClosed() : tooMany();
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
      this.#options.onFailure(request, errorMessage(error));
      throw temporalUnavailable();
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

  /**
   * Returns whether the response is known to be stored; otherwise the workflow has ended. Keeps waiting through outages of
   * Temporal, which keeps the workflow, and then looks for the response that a provider was paid for. Throws when `signal`
   * aborts first.
   */
  async #untilEnded(
    workflowId: string,
    claim: StagedClaim,
    signal: AbortSignal,
    responded: AbortSignal,
  ): Promise<boolean> {
    const { temporal } = this.#options;
    const either = AbortSignal.any([signal, responded]);
    while (!either.aborted) {
      try {
        await temporal.ended(workflowId, either);
        return responded.aborted;
      } catch {
        if (responded.aborted || (await this.#hasResponded(claim))) return true;
        await pause(times.retryMs, undefined, { signal: either, ref: false }).catch(() => undefined);
      }
    }
    if (responded.aborted) return true;
    throw isTimeOut(signal) ? temporalUnavailable() : callerClosed();
  }
}
