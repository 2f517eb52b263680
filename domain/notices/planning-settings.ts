import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import type { EmailConfiguration } from '../configuration/kinds/email.ts';
import type { NotificationConfiguration } from '../configuration/kinds/notification.ts';
import type { Triggers } from '../configuration/triggers.ts';
import type { SentChannel } from './channels.ts';
import type { CommonFacts } from './rules/planning-rules.ts';

/** Settings of one channel for planning. */
export interface PlannedChannel {
  readonly state: CommonFacts['channel'];
  /** Triggers by the event types of comments. */
  readonly triggers: Triggers;
}

/** Settings of a key for its notices and their windows. */
export interface PlanningSettings {
  readonly serviceOn: boolean;
  readonly channels: Readonly<Record<SentChannel, PlannedChannel>>;
  /** 0 while the delay is off. */
  readonly delaySeconds: number;
  /** Whether the customer sends the e-mails, on `notification.add`. */
  readonly customSender: boolean;
  readonly windows: NotificationConfiguration['notificationServiceConfig']['batchConfig'] | undefined;
}

/** The stored members, by kind; absent before the first write. */
interface Stored {
  readonly notification?: Partial<NotificationConfiguration>;
  readonly email?: Partial<EmailConfiguration>;
  /** Written with each update of the e-mail settings since releases send e-mail. */
  readonly emailsending?: object;
  readonly slack?: {
    readonly useSlackService?: boolean;
    readonly slackServiceConfig?: { readonly triggers: { readonly comment: Triggers } };
  };
}

/** Reads the settings in one statement. Decrypts nothing. */
export async function readPlanningSettings(em: EntityManager, apiKeyId: string): Promise<PlanningSettings> {
  const found = await rowsOf(
    em,
    ConfigRow,
    sql`select kind, config from key_config where api_key_id = ${apiKeyId} and kind in ('notification', 'email', 'emailsending', 'slack')`,
  );
  const { notification, email, emailsending, slack } = Object.fromEntries(
    found.map(({ kind, config }) => [kind, config]),
  ) as Stored;
  const { delayConfig, batchConfig } = notification?.notificationServiceConfig ?? {};
  return {
    serviceOn: notification?.useNotificationService === true,
    channels: {
      email: {
        state: emailState(email, emailsending !== undefined),
        triggers: email?.emailServiceConfig?.triggers.comment ?? {},
      },
      slack: {
        state: slack?.useSlackService === true ? 'on' : 'off',
        triggers: slack?.slackServiceConfig?.triggers.comment ?? {},
      },
    },
    delaySeconds: delayConfig?.isEnabled === true ? delayConfig.delaySeconds : 0,
    customSender: email?.useEmailService === true && email.emailServiceConfig?.type === 'custom',
    windows: batchConfig,
  };
}

function emailState(
  stored: Partial<EmailConfiguration> | undefined,
  isConfirmed: boolean,
): CommonFacts['channel'] {
  if (stored?.useEmailService !== true || stored.emailServiceConfig?.type === 'custom') return 'off';
  return isConfirmed ? 'on' : 'not-confirmed';
}

const ConfigRow = z.strictObject({ kind: z.string(), config: z.custom<object>() });
