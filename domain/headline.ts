/** Free members of a notification or an event. */
type Members = Readonly<Record<string, unknown>>;

const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null ? (value as Members) : {};

/**
 * Returns the headline of a notification with its variables replaced; undefined without one. A variable without a value
 * stays.
 */
export function filledHeadline(data: Members): string | undefined {
  const template = data['displayHeadlineMessageTemplate'];
  if (typeof template !== 'string' || template === '') return undefined;
  const values = membersOf(data['displayHeadlineMessageTemplateData']);
  return filled(template, /\{\s*([\w.-]+)\s*\}/g, data, values);
}

/** Replaces the variables of a template. */
export function filled(template: string, variable: RegExp, data: Members, values: Members): string {
  return template.replace(variable, (written, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : name === 'actionUser' ? data[name] : undefined;
    return shownValue(value) ?? written;
  });
}

function shownValue(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const { userId, name, email } = membersOf(value);
  if (typeof userId !== 'string') return undefined;
  return [name, email, userId].find((text): text is string => typeof text === 'string' && text !== '') ?? '';
}
