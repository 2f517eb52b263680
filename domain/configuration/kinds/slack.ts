import { merged } from '../change.ts';
import type { ConfigurationKind } from '../kind.ts';
import { seededTriggers, type Triggers } from '../triggers.ts';

export interface SlackConfiguration {
  readonly useSlackService: boolean;
  readonly slackServiceConfig: {
    /** Of a bot in the one Slack workspace of the key, or empty. */
    readonly botToken: string;
    /** An http or https URL with placeholders for ids, or empty. */
    readonly linkTemplate: string;
    /** Whether messages contain texts of users. */
    readonly includeContent: boolean;
    readonly triggers: { readonly comment: Triggers; readonly huddle: Triggers };
  };
}

/** How Slack messages of a key are sent. */
export const slackKind: ConfigurationKind<SlackConfiguration> = {
  name: 'slack',
  defaults: {
    useSlackService: false,
    slackServiceConfig: {
      botToken: '',
      linkTemplate: '',
      includeContent: true,
      triggers: { comment: {}, huddle: {} },
    },
  },
  secrets: [['slackServiceConfig', 'botToken']],
  isOn: ({ useSlackService }) => useSlackService,
  seed: (stored) => {
    const { comment, huddle } = seededTriggers;
    const seed = { slackServiceConfig: { triggers: { comment, huddle } } };
    return merged(merged(stored, seed), { slackServiceConfig: stored.slackServiceConfig });
  },
};
