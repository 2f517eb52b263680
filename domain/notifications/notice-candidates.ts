import type { NoticeCandidate } from '../notices/plan-notices.ts';
import type { Why } from '../notices/statuses.ts';
import type { Choice } from './choose-recipients.ts';

/** Returns the candidates for notices among decided recipients. `whyOf`: why a named user is named. */
export const noticeCandidates = (
  choices: readonly Choice[],
  whyOf: (choice: Choice) => Why = () => 'named',
): NoticeCandidate[] =>
  choices.map((choice) => ({
    user: choice.candidate.user,
    why: choice.candidate.named ? whyOf(choice) : 'member',
    hasAccess: choice.candidate.hasAccess,
    levels: choice.preference,
    inInbox: choice.notified,
  }));
