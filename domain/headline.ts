import { membersOf, type JsonMembers } from '../platform/json/json-members.ts';

/**
 * Returns the headline of a notification with its variables replaced; undefined without one. A variable without a value
 * stays.
 */
export function filledHeadline(data: JsonMembers): string | undefined {
  const template = data['displayHeadlineMessageTemplate'];
  if (typeof template !== 'string' || template === '') return undefined;
  const values = membersOf(data['displayHeadlineMessageTemplateData']);
  return filled(template, /\{\s*([\w.-]+)\s*\}/g, data, values);
}

/** Max characters of a filled template. A template has room for 3,333 variables, and a value for 256 KiB. */
const maxFilledLength = 32_768;

/** Replaces the variables of a template. The result is cut to 32,768 characters. */
export function filled(template: string, variable: RegExp, data: JsonMembers, values: JsonMembers): string {
  let text = '';
  let from = 0;
  for (const { 0: written, 1: name = '', index } of template.matchAll(variable)) {
    const value = Object.hasOwn(values, name) ? values[name] : name === 'actionUser' ? data[name] : undefined;
    text += template.slice(from, index) + (shownValue(value) ?? written).slice(0, maxFilledLength);
    from = index + written.length;
    if (text.length > maxFilledLength) break;
  }
  const all = text + template.slice(from);
  // A value that was cut may end within a surrogate pair, too.
  return all.slice(0, maxFilledLength).toWellFormed();
}

/** A user as sent. */
export interface ShownUser {
  readonly userId: string;
  readonly name?: unknown;
}

/** The name of a user; the id of one whose name is empty or no text. */
export const shownName = ({ userId, name }: ShownUser): string =>
  typeof name === 'string' && name !== '' ? name : userId;

function shownValue(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const { userId, name, email } = membersOf(value);
  if (typeof userId !== 'string') return undefined;
  return [name, email, userId].find((text): text is string => typeof text === 'string' && text !== '') ?? '';
}
