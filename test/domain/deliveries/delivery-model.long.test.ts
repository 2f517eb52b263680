import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { finalStatuses, reasonNumbers } from '../../../domain/notices/statuses.ts';
import { anOrganization, freshId, type TestTenant } from '../../support/factories.ts';
import { aMailingTenant, waitingOf } from '../../support/senders.ts';
import { sendingScene } from '../../support/sending-scene.ts';
import { DeliveryModel, type Level, type ModelDelivery, type ModelSettings } from './delivery-model.ts';

const { api, mail, senders } = await sendingScene();

const hour = 3_600_000;
const day = 24 * hour;
const users = ['ada', 'ben', 'cleo'];
const documents = ['plan', 'notes'];
const ids = ['n1', 'n2', 'n3', 'n4'];

const levels: Level[] = ['ALL', 'MINE', 'NONE'];
const oneOf = fc.constantFrom;
// Delays and windows are fractions of hours, so that no two of them end at the same time by chance.
const aWindow = (...hours: number[]) =>
  fc.record({
    isEnabled: fc.boolean(),
    seconds: oneOf(...hours.map((count) => count * 3_600)),
    maxActivities: oneOf(2, 3, 50),
  });
const aWorld = fc.record({
  delaySeconds: oneOf(0, 0.45 * 3_600, 2.45 * 3_600),
  document: aWindow(1.3, 2.7),
  user: aWindow(1.3, 1.9, 3.4),
});
const aStep = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('notify' as const),
      id: oneOf(...ids),
      document: oneOf(...documents),
      actor: oneOf(...users),
      named: fc.option(fc.uniqueArray(oneOf(...users), { minLength: 1 }), { nil: undefined }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('prefer' as const),
      user: oneOf(...users),
      document: fc.option(oneOf(...documents), { nil: undefined }),
      email: oneOf(...levels),
      inbox: oneOf(...levels),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('read' as const), id: oneOf(...ids), user: oneOf(...users) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('retitle' as const), id: oneOf(...ids) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), id: oneOf(...ids) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('switch' as const),
      serviceOn: fc.boolean(),
      channelOn: fc.boolean(),
    }),
  },
);
type Step = typeof aStep extends fc.Arbitrary<infer Value> ? Value : never;

/** Steward with the clock of due times set days ahead, so that the duration of the test has no influence. */
class RealWorld {
  readonly #tenant: TestTenant;
  readonly #organizationId: string;
  readonly #domain = `${freshId('w')}.test`.toLowerCase().replaceAll('_', '-');
  readonly #keys = new Map<string, string>();
  /** The document of each notification, by id. */
  readonly #documents = new Map<string, string>();
  readonly #start = Date.now() + 10 * day;
  readonly #delayMs: number;

  private constructor(tenant: TestTenant, organizationId: string, delaySeconds: number) {
    this.#delayMs = delaySeconds * 1_000;
    this.#tenant = tenant;
    this.#organizationId = organizationId;
  }

  static async of({ delaySeconds, document, user }: ModelSettings): Promise<RealWorld> {
    const config = ({ isEnabled, seconds, maxActivities }: ModelSettings['user']) => ({
      isEnabled,
      batchWindowSeconds: seconds,
      maxActivities,
    });
    const tenant = await aMailingTenant(api, {
      delayConfig: { isEnabled: delaySeconds > 0, delaySeconds: Math.max(delaySeconds, 10) },
      batchConfig: { document: config(document), user: config(user) },
    });
    const world = new RealWorld(tenant, await anOrganization(tenant), delaySeconds);
    for (const documentId of documents) {
      await tenant.ok('/v2/organizations/documents/add', {
        organizationId: world.#organizationId,
        documents: [{ documentId }],
      });
      await world.#call('/v2/users/add', {
        documentId,
        users: users.map((userId) => ({ userId, email: `${userId}@${world.#domain}` })),
      });
    }
    return world;
  }

  async #call(path: string, data: object): Promise<void> {
    await this.#tenant.ok(path, { organizationId: this.#organizationId, ...data });
  }

  /** `key` is that of the notification in the model. */
  async notify(
    now: number,
    key: string,
    sent: {
      id: string;
      document: string;
      headline: string;
      actor: string;
      named: readonly string[] | undefined;
    },
  ): Promise<void> {
    this.#documents.set(sent.id, sent.document);
    await this.#call('/v2/notifications/add', {
      documentId: sent.document,
      notificationId: sent.id,
      actionUser: { userId: sent.actor },
      displayHeadlineMessageTemplate: sent.headline,
      displayBodyMessage: 'Text',
      ...(sent.named && { notifyUsers: sent.named.map((userId) => ({ userId })) }),
    });
    const [row] = await api.database.sql<{ id: string }>(
      'select id from notification where api_key_id = $1 and ext_id = $2',
      [this.#tenant.id, sent.id],
    );
    this.#keys.set(row?.id ?? '', key);
    await api.database.sql(
      `update notice set due_at = to_timestamp($2 / 1000.0)
       where api_key_id = $1 and due_at < to_timestamp($3 / 1000.0) - interval '1 day'`,
      [this.#tenant.id, this.#start + now + this.#delayMs, this.#start],
    );
  }

  async take(step: Exclude<Step, { kind: 'notify' | 'wait' }>, headline: string): Promise<void> {
    if (step.kind === 'prefer') {
      const { user, document, email, inbox } = step;
      const documentIds = document === undefined ? {} : { documentIds: [document] };
      const config = { email, inbox };
      await this.#call('/v2/notifications/config/set', { userIds: [user], ...documentIds, config });
    } else if (step.kind === 'switch') {
      const { serviceOn, channelOn } = step;
      await this.#tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: serviceOn });
      await this.#tenant.ok('/v2/workspace/emailconfig/update', { useEmailService: channelOn });
    } else if (step.kind === 'delete') {
      await this.#call('/v2/notifications/delete', {
        documentId: this.#documents.get(step.id) ?? documents[0],
        notificationIds: [step.id],
      });
    } else {
      const change =
        step.kind === 'read' ? { readByUserIds: [step.user] } : { displayHeadlineMessageTemplate: headline };
      await this.#call('/v2/notifications/update', { notifications: [{ id: step.id, ...change }] });
    }
  }

  async turn(now: number): Promise<void> {
    await senders.turn(this.#tenant, this.#start + now - Date.now());
  }

  /** Returns the logged deliveries without their headlines. */
  async deliveries(): Promise<Omit<ModelDelivery, 'headlines'>[]> {
    const rows = await api.database.sql<{
      user: string;
      status: number;
      reason: number | null;
      items: string[];
    }>(
      `select u.ext_id as "user", l.status, l.reason, array(
         select i.notification_id::text from delivery_item i where i.delivery_id = l.id and i.at = l.at) as items
       from delivery_log l join app_user u on u.id = l.user_id where l.api_key_id = $1`,
      [this.#tenant.id],
    );
    return rows.map(({ user, status, reason, items }) => ({
      user,
      outcome: [
        nameOf(finalStatuses, status),
        ...(reason === null ? [] : [nameOf(reasonNumbers, reason)]),
      ].join(' '),
      notifications: items.map((id) => this.#keys.get(id) ?? id).toSorted(),
    }));
  }

  /** Returns the headlines of each e-mail that arrived. */
  mails(headlines: readonly string[]): Pick<ModelDelivery, 'user' | 'headlines'>[] {
    return mail.mails
      .filter(({ to }) => to.endsWith(`@${this.#domain}`))
      .map(({ to, parsed: { text = '' } }) => ({
        user: to.split('@')[0] ?? '',
        headlines: headlines.filter((headline) => text.includes(headline)).toSorted(),
      }));
  }

  waiting = async () => waitingOf(api, this.#tenant);
}

const nameOf = (names: Readonly<Record<string, number>>, wanted: number): string =>
  Object.entries(names).find(([, number]) => number === wanted)?.[0] ?? '';

const inAnyOrder = (rows: readonly object[]): string[] => rows.map((row) => JSON.stringify(row)).toSorted();

async function compare(settings: ModelSettings, steps: readonly Step[]): Promise<void> {
  const world = await RealWorld.of(settings);
  const model = new DeliveryModel(settings, users);
  const headlines: string[] = [];
  let now = 0;
  let serviceOn = true;
  const turn = async (hours: number): Promise<void> => {
    now += hours * hour;
    model.turn(now);
    await world.turn(now);
  };
  for (const step of steps) {
    const headline = `Headline ${String(headlines.length)}.`;
    headlines.push(headline);
    if (step.kind === 'wait') await turn(step.hours);
    else if (step.kind === 'notify') {
      const sent = { ...step, headline };
      await world.notify(now, model.notify(now, sent), sent);
    } else {
      // Preferences need the notification service.
      if (step.kind === 'prefer' && !serviceOn) continue;
      if (step.kind === 'prefer') model.prefer(step);
      else if (step.kind === 'read') model.read(step.id, step.user);
      else if (step.kind === 'retitle') model.retitle(step.id, headline);
      else if (step.kind === 'delete') model.delete(step.id);
      else {
        ({ serviceOn } = step);
        model.switch(step.serviceOn, step.channelOn);
      }
      await world.take(step, headline);
    }
  }
  for (const hours of [5, 5, 5]) await turn(hours);
  const expected = model.deliveries.map(({ headlines: _texts, ...delivery }) => delivery);
  expect(inAnyOrder(await world.deliveries())).toEqual(inAnyOrder(expected));
  const sent = model.deliveries.filter(({ outcome }) => outcome === 'sent');
  expect(inAnyOrder(world.mails(headlines))).toEqual(
    inAnyOrder(sent.map(({ user, headlines: texts }) => ({ user, headlines: texts }))),
  );
  expect(await world.waiting()).toMatchObject({ notices: 0, outgoing: 0 });
}

describe('planning and sending', () => {
  it('end each notice like a slow model of the rules and windows', async () => {
    const property = fc.asyncProperty(aWorld, fc.array(aStep, { minLength: 6, maxLength: 16 }), compare);
    await fc.assert(property, { numRuns: 60 });
  });
});
