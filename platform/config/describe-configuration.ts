import { listItem } from '../markdown/list-item.ts';
import { anyText } from './parsers/texts.ts';
import { textOf } from './read-variable.ts';
import { masked } from './mask.ts';
import { withSecretFiles } from './secret-files.ts';
import { variables } from './variables.ts';
import type { Variable } from './variable.ts';

/** One variable, as `npm run config` shows it. */
export interface DescribedVariable {
  readonly name: string;
  readonly default: string;
  readonly meaning: string;
  /** Secrets masked; undefined where the variable is unset. */
  readonly value: string | undefined;
  /** The source of the value; undefined when the variable is unset. */
  readonly from: 'environment' | 'npm start' | undefined;
  /** The allowed values, when the value is invalid. */
  readonly mayBe: string | undefined;
  /** Why the file that `NAME_FILE` names cannot be used. A start refuses it, although the variable may have a value. */
  readonly fileProblem: string | undefined;
}

/**
 * Every variable with its default, meaning and current value, also of secrets in files; `local` holds the values that a
 * local `npm start` stores.
 */
export function describeConfiguration(
  environment: NodeJS.ProcessEnv,
  local: Readonly<Record<string, string>> = {},
): readonly DescribedVariable[] {
  const problems: string[] = [];
  const complete = withSecretFiles(environment, problems);
  return Object.entries<Variable<unknown>>(variables).map(([name, variable]) => {
    const given = textOf(complete, name);
    const text = given ?? local[name];
    const bad = text !== undefined && variable.parse(text) === undefined;
    return {
      name,
      default: shownDefault(variable),
      meaning: variable.meaning,
      value: text === undefined ? undefined : masked(variable, text),
      from: given !== undefined ? 'environment' : text !== undefined ? 'npm start' : undefined,
      mayBe: bad ? variable.may : undefined,
      fileProblem: problems.find((problem) => problem.startsWith(`${name}_FILE `)),
    };
  });
}

/** Every variable with its meaning, its allowed values and its default, as a list in Markdown. */
export function configurationList(): string {
  return Object.entries<Variable<unknown>>(variables)
    .map(([name, variable]) => {
      const fallback = shownDefault(variable);
      const sentences = [
        variable.meaning,
        ...(variable.may === anyText.may ? [] : [`Allowed: ${variable.may}.`]),
        ...(fallback === noDefault ? [] : [`Default: ${fallback}.`]),
      ];
      return listItem(`\`${name}\`: ${sentences.join(' ')}`);
    })
    .join('\n');
}

const noDefault = '–';

function shownDefault(variable: Variable<unknown>): string {
  return variable.default ?? variable.fallback ?? noDefault;
}
