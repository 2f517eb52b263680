import type { SentChannel } from '../notices/channels.ts';
import type { NoticeRow } from './read-notices.ts';

/** Members of a notice that decide where its message goes. */
type Addressed = Pick<NoticeRow, 'email' | 'slack_user'>;

/**
 * Groups notices of one user by the address that their message goes to, in any letter case, or by the Slack account: a
 * message goes to one of them. Groups and notices stay in order.
 */
export function byRecipient<Notice extends Addressed>(
  channel: SentChannel,
  notices: readonly Notice[],
): readonly (readonly Notice[])[] {
  const recipientOf = ({ email, slack_user: account }: Notice): string =>
    channel === 'slack' && account !== null ? account : email.toLowerCase();
  return [...Map.groupBy(notices, recipientOf).values()];
}
