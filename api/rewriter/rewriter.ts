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
import { TransportError } from '../http/response/transport-error.ts';
import { KeyedSemaphore } from './keyed-semaphore.ts';

/** What AI calls are made with. */
export interface RewriterOptions {
  readonly orm: Orm;
  readonly temporal: TemporalClient;
  /** Tells of answers as they are stored, sooner than their workflows end. */
  readonly notices: Notices;
  readonly families: readonly ModelFamily[];
  /** Calls of one key that are under way at once. */
  readonly callsPerKey: number;
  /** Told of every request that Temporal did not take. */
  readonly onFailure: (failure: {
    readonly requestId: string;
    readonly keyId: string;
    readonly reason: string;
  }) => void;
}

/** A staged request, whose it is, and which call waits for it. */
export interface WaitingRequest extends AskAiInput {
  /** Surrogate key. */
  readonly tenantId: string;
  /** Public id of the API key. */
  readonly keyId: string;
  /** See `StagedClaim`. */
  readonly askedAt: string;
}

/** Milliseconds: for how long Temporal may be silent before it counts as away, and between two looks at it. */
const times = { silence: 1_500, look: 100, start: 10_000, again: 500, cancel: 2_000 } as const;

/** Calls of one key that wait for their turn. */
const maxWaiting = 1_000;

/** Puts staged requests through their workflows; one an API process. It never sees what is asked or answered. */
export class Rewriter {
  readonly #options: RewriterOptions;
  readonly #turns: KeyedSemaphore;
  /** When Temporal last took a request. */
  #heard = 0;

  constructor(options: RewriterOptions) {
    this.#options = options;
    this.#turns = new KeyedSemaphore({ atOnce: options.callsPerKey, maxWaiting });
  }

  familyOf(model: string): ModelFamily | undefined {
    return familyOf(this.#options.families, model);
  }

  /** Resolves once the request has its answer, or its workflow has ended. Otherwise throws a DomainError, and nothing is left of the request. */
  async carryOut(request: WaitingRequest, signal: AbortSignal): Promise<void> {
    const { requestId, tenantId, askedAt } = request;
    const { orm, notices, temporal } = this.#options;
    const claim = { requestId, apiKeyId: tenantId, askedAt };
    let runs: string | undefined;
    try {
      const leave = await this.#turn(tenantId, signal);
      const response = notices.await(requestId);
      try {
        const workflow = askAiStartOf(request);
        await this.#start(workflow, request);
        runs = workflow.workflowId;
        const well = await this.#untilEnded(runs, signal, response.come);
        runs = undefined;
        // No worker took it: that is not the provider's fault.
        if (!well && !(await wasBegun(orm.em.fork(), claim))) throw away();
      } finally {
        response.leave();
        leave();
      }
    } catch (error) {
      const dropped = await dropStagedRequest(orm.em.fork(), claim).catch(
        // The sweep does it within the hour; the first error is the one to tell.
        () => false,
      );
      // A repetition that has taken the request over waits for its workflow. Not awaited: it ends by itself soon.
      if (dropped && runs !== undefined) temporal.cancel(runs, times.cancel).catch(() => undefined);
      throw error;
    }
  }

  async #turn(tenantId: string, signal: AbortSignal): Promise<() => void> {
    const leave = await this.#turns.take(tenantId, signal).catch(() => {
      throw isTimeOut(signal) ? tooMany() : callerGone();
    });
    if (leave === undefined) throw tooMany();
    return leave;
  }

  /** Many starts at once may take their time; only when Temporal takes none of them any more is it away. */
  async #start(
    workflow: ReturnType<typeof askAiStartOf>,
    { requestId, keyId }: WaitingRequest,
  ): Promise<void> {
    const asked = Date.now();
    const starting = this.#options.temporal.start(workflow, times.start).then(() => {
      this.#heard = Date.now();
      return true;
    });
    const failed = (error: unknown): never => {
      const reason = error instanceof Error ? error.message : String(error);
      this.#options.onFailure({ requestId, keyId, reason });
      throw away();
    };
    for (let overdue = false; ;) {
      const look = pause(times.look, false, { ref: false });
      if (await Promise.race([starting, look]).catch(failed)) return;
      const silent = Date.now() - Math.max(asked, this.#heard) > times.silence;
      // Twice, as after a stall of this process its timers come before what it has been told meanwhile.
      if (silent && overdue) break;
      overdue = silent;
    }
    starting.catch(() => undefined);
    failed(new Error('Temporal is silent.'));
  }

  /** Waits on while Temporal is away for a moment: the workflow is safe there. Throws when `signal` aborts first. */
  async #untilEnded(workflowId: string, signal: AbortSignal, answered: AbortSignal): Promise<boolean> {
    const { temporal } = this.#options;
    const either = AbortSignal.any([signal, answered]);
    while (!either.aborted) {
      try {
        return await temporal.ended(workflowId, either);
      } catch {
        await pause(times.again, undefined, { signal: either, ref: false }).catch(() => undefined);
      }
    }
    if (answered.aborted) return true;
    throw isTimeOut(signal) ? away() : callerGone();
  }
}

const isTimeOut = ({ reason }: AbortSignal): boolean =>
  typeof reason === 'object' && (reason as Error | null)?.name === 'TimeoutError';

const callerGone = (): DomainError => new DomainError('CANCELLED', 'The caller went away.');

const away = (): DomainError =>
  new TransportError('UNAVAILABLE', messages.unavailable, { headers: { 'Retry-After': '1' } });

const tooMany = (): DomainError =>
  new TransportError('RESOURCE_EXHAUSTED', messages.tooManyAiCalls, { headers: { 'Retry-After': '1' } });
