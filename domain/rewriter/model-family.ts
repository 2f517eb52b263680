import type { ModelFamily } from '../../platform/config/configuration.ts';

/** The family of a model: of those that fit the one with the longest name. Names are case-sensitive. */
export function familyOf(families: readonly ModelFamily[], model: string): ModelFamily | undefined {
  const fitting = families.filter(
    ({ name }) => model === name || model.startsWith(name.endsWith('-') ? name : `${name}-`),
  );
  return fitting.toSorted((left, right) => right.name.length - left.name.length)[0];
}
