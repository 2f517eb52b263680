import type { ModelFamily } from '../../platform/config/configuration.ts';

/** The family of a model: of those that fit the one with the longest name; names are case-sensitive. */
export function familyOf(families: readonly ModelFamily[], model: string): ModelFamily | undefined {
  return families
    .filter(({ name }) => model === name || model.startsWith(name.endsWith('-') ? name : `${name}-`))
    .reduce<ModelFamily | undefined>(
      (best, family) => (best === undefined || family.name.length > best.name.length ? family : best),
      undefined,
    );
}
