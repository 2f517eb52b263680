import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeConnections } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { inFull } from '../support/tier.ts';
import {
  aBattlefield,
  aWebhookReceiver,
  aWebhookTenant,
  bodyOf,
  isSigned,
  writeEvents,
  type Battlefield,
  type Victim,
  type WebhookReceiver,
} from './webhook-chaos.ts';

/** The full form takes 90 s on two cores: `npm run test:long`. */
const events = inFull ? 20_000 : 800;
/** Kills one process after the other, each as soon as that many events have been acknowledged. */
const strikes: readonly (readonly [acknowledged: number, victim: Victim])[] = inFull
  ? [
      [2_000, 'worker'],
      [4_500, 'api'],
      [7_000, 'postgres'],
      [9_500, 'worker'],
      [12_000, 'api'],
      [14_500, 'postgres'],
      [17_000, 'worker'],
    ]
  : [
      [200, 'worker'],
      [400, 'api'],
      [600, 'postgres'],
    ];
/** Milliseconds between an arrival and its record, in which a kill makes the message arrive again. */
const recordedWithin = 30_000;
/** Milliseconds between a claim and its arrival: messages claimed before a kill of PostgreSQL still arrive after it. */
const arrivesWithin = 30_000;

describe(`${events.toLocaleString('en-US')} events while worker, API and PostgreSQL are killed in turn`, () => {
  let field: Battlefield;
  let receiver: WebhookReceiver;
  let secret: string;
  let acknowledged: ReadonlySet<string>;

  beforeAll(async () => {
    receiver = await aWebhookReceiver();
    field = await aBattlefield('0s,1s,1s,2s,5s,5s,10s,10s,10s');
    const tenant = await aWebhookTenant(field, receiver.url);
    secret = tenant.secret;
    const coming = [...strikes];
    let battle = Promise.resolve();
    const lost = new AbortController();
    acknowledged = await writeEvents(field, tenant.headers, {
      events,
      batch: 20,
      callers: 8,
      signal: lost.signal,
      onProgress(number) {
        const [next] = coming;
        if (next === undefined || number < next[0]) return;
        coming.shift();
        battle = battle.then(() => field.strike(next[1]));
        // A process that did not restart accepts no more events. The test awaits it below.
        battle.catch(() => lost.abort());
      },
    });
    await battle;
    // Includes events whose response was lost with the API, because they are in the sequence.
    await eventually(
      () =>
        receiver.records.size === receiver.highest &&
        [...acknowledged].every((id) => receiver.records.has(id)),
    );
  });
  afterAll(async () => {
    closeConnections();
    await receiver.close();
    // Undefined when it could not start.
    await (field as Battlefield | undefined)?.close();
  });

  it('are each delivered at least once when acknowledged', () => {
    expect(acknowledged.size).toBeGreaterThanOrEqual(events);
    expect(field.kills.map(({ victim }) => victim)).toEqual(strikes.map(([, victim]) => victim));
  });

  it('keep their webhook-id and their gapless sequence', () => {
    const bodies = receiver.delivered.map(bodyOf);
    const distinct = new Map(bodies.map((body) => [body.webhookId, body]));
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(distinct.size);
    expect(new Set(bodies.map(({ data }) => data.id)).size).toBe(distinct.size);
    const sequences = [...distinct.values()].map(({ sequence }) => sequence).sort((a, b) => a - b);
    expect(sequences).toEqual(Array.from({ length: distinct.size }, (_, n) => n + 1));
  });

  it('are resent only when a kill came between an arrival and its record', () => {
    const first = new Map<string, number>();
    const unexplained: unknown[] = [];
    let again = 0;
    for (const delivered of receiver.delivered) {
      const { webhookId } = bodyOf(delivered);
      const before = first.get(webhookId);
      first.set(webhookId, delivered.at);
      if (before === undefined) continue;
      again += 1;
      const killed = field.kills.some(
        ({ victim, at }) =>
          victim !== 'api' &&
          at >= before - arrivesWithin &&
          at <= before + recordedWithin &&
          at <= delivered.at,
      );
      if (!killed) unexplained.push({ webhookId, before, at: delivered.at });
    }
    expect(unexplained).toEqual([]);
    // Messages in flight at a kill, not those delivered before.
    expect(again).toBeLessThan(field.kills.length * 100);
  });

  it('have listed event types and valid signatures', () => {
    for (const delivered of receiver.delivered) {
      const { event, webhookId, data } = bodyOf(delivered);
      if (
        event !== 'comment.add' ||
        data.actionType !== event ||
        webhookId !== delivered.headers['webhook-id']
      )
        throw new Error(`Not an event that was written: ${delivered.body}`);
      if (!isSigned(delivered, secret)) throw new Error(`Not signed: ${delivered.body}`);
    }
  });
});
