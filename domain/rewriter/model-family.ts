import type { ModelFamily } from '../../platform/config/configuration.ts';

/** Returns the matching family with the longest name. Names are case-sensitive. */
export function familyOf(families: readonly ModelFamily[], model: string): ModelFamily | undefined {
  const matching = families.filter(
    ({ name }) => model === name || model.startsWith(name.endsWith('-') ? name : `${name}-`),
  );
  return matching.toSorted((left, right) => right.name.length - left.name.length)[0];
}
