import { shownName, type ShownUser } from '../headline.ts';
import { replacedMarks } from './users-in-threads.ts';

/** Max characters of a comment's text in notifications and in the processed basic webhook. */
const maxTextLength = 500;

/** Text with the marks of tagged users replaced by their names, cut to 500 Unicode characters. */
export function shownText(text: string, tagged: readonly ShownUser[]): string {
  const names = new Map(tagged.map((user) => [user.userId, shownName(user)]));
  // A character has at most two code units.
  const enough = 2 * maxTextLength;
  const shown = replacedMarks(text, (userId) => names.get(userId), enough).slice(0, enough);
  return Array.from(shown).slice(0, maxTextLength).join('');
}
