import { setTimeout as pause } from 'node:timers/promises';
import { inTransaction, type EntityManager, type Orm } from '../../../platform/database/orm.ts';
import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import { attempt, type AttemptOutcome, type Senders } from './attempt.ts';
import { cancelWaiting, claimDue, keptDays, nextDue, recentDays, type ClaimedMessage } from './claim-due.ts';
import { lockDestination, type Destination, type EndpointRef } from './destination.ts';
import { keepAccount } from './endpoint-health.ts';
import { promiseDelivery } from './fan-out.ts';
import { endpointKinds } from '../../events/endpoint-kinds.ts';
import { OutageWatch } from './outage.ts';
import { Pace } from './pace.ts';
import { recordAttempts, sinceLastAttempt, type SentMessage } from './record-attempts.ts';
import { retryWait } from './retry-schedule.ts';

export interface TurnOptions {
  readonly orm: Orm;
  readonly keyRing: KeyRing;
  readonly senders: Senders;
  /** Milliseconds before each attempt. */
  readonly schedule: readonly number[];
  /** How many requests the endpoint may have under way now. */
  readonly share: () => number;
  /** Takes nothing more in hand, and ends when what is under way has. */
  readonly signal: AbortSignal;
}

/** Milliseconds until there is something to do again; undefined when nothing waits. */
export interface TurnEnd {
  readonly nextIn: number | undefined;
}

/** What a turn has done. */
export interface Turn extends TurnEnd {
  readonly attempted: number;
  readonly delivered: number;
}

/** Milliseconds, but for `few`. */
const times = {
  /** A turn takes nothing new in hand after it, so that whatever hangs has its slot no longer than this and one exchange. */
  turn: 10_000,
  /** It looks for more for this long after the first batch, if the endpoint had one `lately`, and for `hot` after further ones. */
  cold: 250,
  lately: 2_000,
  hot: 1_000,
  /** Between two looks, at first and at most. */
  look: 20,
  longestLook: 100,
  /** For so long the first answers wait for four fifths of those under way, or for all of a few, to be recorded together. */
  gather: 10,
  few: 8,
  /** For recording what was sent, however often the database fails. */
  record: 20_000,
  again: 250,
} as const;

/*
 * Should PostgreSQL die within the next moment, what was sent is sent again: that may happen anyway, and what waits for the
 * disk here would wait before every batch.
 */
const unhurried = { synchronous_commit: 'off' };

/** One turn for one endpoint: sends what is due, records it, and says how that went and when to come again. */
export async function deliverDue(options: TurnOptions, ref: EndpointRef): Promise<Turn> {
  return new DeliveryTurn(options, ref).run();
}

class DeliveryTurn {
  readonly #options: TurnOptions;
  readonly #ref: EndpointRef;
  readonly #began = performance.now();
  readonly #outage = new OutageWatch();
  /** Requests under way. */
  #sending = 0;
  #sent: SentMessage[] = [];
  #destination: Destination | undefined;
  #pace: Pace | undefined;
  #batches = 0;
  #attempted = 0;
  #delivered = 0;
  /** Until then others leave it to this turn to see what they bring. */
  #promisedUntil = 0;
  #look: number = times.look;
  #wake: () => void = () => undefined;

  constructor(options: TurnOptions, ref: EndpointRef) {
    this.#options = options;
    this.#ref = ref;
  }

  async run(): Promise<Turn> {
    const end = await this.#deliver();
    return { ...end, attempted: this.#attempted, delivered: this.#delivered };
  }

  async #deliver(): Promise<TurnEnd> {
    try {
      for (;;) {
        const looking = performance.now();
        const closing = this.#options.signal.aborted || looking - this.#began > times.turn;
        const found = await this.#recordAndClaim(closing);
        if (this.#sending === 0 && this.#sent.length === 0) {
          if (closing) return { nextIn: 0 };
          if (this.#destination?.state !== 'open') return await this.#leave();
          if (found === 'nothing' && looking > this.#promisedUntil) {
            const end = await this.#rest();
            if (end !== undefined) return end;
          }
        }
        await this.#wait();
      }
    } finally {
      await this.#ended();
    }
  }

  /** What was sent is kept until it is recorded: else it would be sent again. */
  async #recordAndClaim(closing: boolean): Promise<'messages' | 'nothing' | 'unlooked'> {
    const sent = this.#sent;
    const most = closing ? 0 : this.#room();
    if (sent.length === 0 && most === 0) return 'unlooked';
    this.#sent = [];
    const until = performance.now() + times.record;
    for (;;) {
      try {
        const step = async (em: EntityManager) => this.#step(em, sent, closing);
        const claimed = await inTransaction(this.#options.orm, step, unhurried);
        for (const message of claimed ?? []) this.#send(message);
        if (claimed === undefined) return 'unlooked';
        this.#look = claimed.length > 0 ? times.look : Math.min(this.#look * 1.5, times.longestLook);
        return claimed.length > 0 ? 'messages' : 'nothing';
      } catch (error) {
        // Nothing is given up while there are answers to come, which are to be recorded.
        if (performance.now() > until || (sent.length === 0 && this.#sending === 0)) throw error;
        await pause(times.again);
        if (sent.length === 0) return 'unlooked';
      }
    }
  }

  /** Undefined when it did not look for messages. */
  async #step(
    em: EntityManager,
    sent: readonly SentMessage[],
    closing: boolean,
  ): Promise<ClaimedMessage[] | undefined> {
    const first = this.#destination === undefined;
    const destination = await lockDestination(em, this.#options.keyRing, this.#ref);
    this.#destination = destination;
    if (destination !== undefined && sent.length > 0) {
      await keepAccount(em, destination, sent);
      await recordAttempts(em, destination, sent);
    }
    if (destination?.state !== 'open') return undefined;
    await this.#outage.recover(em, destination, sent);
    if (first) this.#promisedUntil = performance.now() + destination.drainingFor;
    this.#pace ??= await paceOf(em, destination);
    const most = closing ? 0 : this.#room();
    if (most === 0) return undefined;
    const claimed = await claimDue(em, destination, { most, days: first ? keptDays : recentDays });
    this.#pace.took(claimed.length, destination.rateLimit);
    if (claimed.length > 0) await this.#promise(em, destination);
    return claimed;
  }

  /** Requests that may begin now. */
  #room(): number {
    const allowed = this.#pace?.allowed(this.#destination?.rateLimit ?? null) ?? Infinity;
    return Math.max(0, Math.min(this.#options.share() - this.#sending, allowed));
  }

  /** An endpoint that has long had nothing is left at once: most likely, it has no more for a while. */
  async #promise(em: EntityManager, destination: Destination): Promise<void> {
    this.#batches += 1;
    if (this.#batches === 1) {
      const since = await sinceLastAttempt(em, destination);
      if (since === undefined || since > times.lately) return;
    }
    const span = this.#batches === 1 ? times.cold : times.hot;
    if (this.#promisedUntil - performance.now() > span / 2) return;
    await promiseDelivery(em, destination, span);
    this.#promisedUntil = performance.now() + span;
  }

  #send(message: ClaimedMessage): void {
    const destination = this.#destination;
    if (destination === undefined) return;
    const { senders, schedule } = this.#options;
    this.#sending += 1;
    void attempt(senders, destination, message).then((outcome) => {
      this.#sending -= 1;
      this.#attempted += 1;
      if (outcome.error === null) this.#delivered += 1;
      this.#sent.push({ message, outcome, retryIn: retryIn(schedule, destination, message, outcome) });
      this.#wake();
    });
  }

  /** Until nothing is under way: an exchange has its own limit. */
  async #ended(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = () => {
        if (this.#sending === 0) resolve();
      };
      this.#wake();
    });
  }

  /** Until answers have come, so many that recording them is worth it, or it is time to look again. */
  async #wait(): Promise<void> {
    if (this.#sent.length === 0) await this.#answers(1, Math.max(this.#look, this.#pace?.wait() ?? 0));
    if (this.#sent.length === 0) return;
    const all = this.#sent.length + this.#sending;
    await this.#answers(Math.max(all * 0.8, Math.min(all, times.few)), times.gather);
  }

  async #answers(least: number, longest: number): Promise<void> {
    const enough = new Promise<void>((resolve) => {
      this.#wake = () => {
        if (this.#sent.length >= least) resolve();
      };
    });
    this.#wake();
    await Promise.race([enough, pause(longest)]);
  }

  /** Nothing is due; undefined when something has been found to do all the same. */
  async #rest(): Promise<TurnEnd | undefined> {
    const destination = this.#destination;
    if (destination === undefined) return { nextIn: undefined };
    const em = this.#options.orm.em.fork();
    if (this.#batches === 0 && (await this.#outage.probe(em, destination))) return undefined;
    const wait = await nextDue(em, destination);
    if (wait === undefined) return { nextIn: undefined };
    const probe = (await this.#outage.nextProbe(em, destination)) ?? wait;
    // What is due and was not claimed is in other hands for a moment.
    return { nextIn: Math.max(Math.min(wait, probe), this.#batches > 0 ? 0 : times.hot) };
  }

  /** Nothing is sent: what waits goes on once the owner of the key lets it, or ends with the endpoint. */
  async #leave(): Promise<TurnEnd> {
    const destination = this.#destination;
    if (destination?.state !== 'disabled' && destination?.state !== 'deleted') return { nextIn: undefined };
    const more = await cancelWaiting(this.#options.orm.em.fork(), destination, destination.state);
    return { nextIn: more ? 0 : undefined };
  }
}

function retryIn(
  schedule: readonly number[],
  { kind }: Destination,
  { step }: ClaimedMessage,
  { error, gone }: AttemptOutcome,
): number | undefined {
  const endless = kind === endpointKinds.application;
  if (error === null || (gone && !endless)) return undefined;
  return retryWait(schedule, { step: step + 1, endless });
}

async function paceOf(em: EntityManager, destination: Destination): Promise<Pace> {
  const { rateLimit } = destination;
  return new Pace(rateLimit, rateLimit === null ? undefined : await sinceLastAttempt(em, destination));
}
