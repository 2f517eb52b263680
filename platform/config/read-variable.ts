import { masked } from './mask.ts';
import type { Variable } from './variable.ts';
import { variables, type NameWithFallback, type VariableName, type VariableValue } from './variables.ts';

/** Returns the value of a variable; undefined when it is unset without a fallback, or invalid. */
export type Read = <Name extends VariableName>(name: Name) => VariableValue<Name> | undefined;

/** Returns the value of a variable that has a fallback. */
export type Value = <Name extends NameWithFallback>(name: Name) => VariableValue<Name>;

/** The fallback also replaces an invalid value: the caller goes on to find every problem, and then throws. */
export const valuesBy =
  (read: Read): Value =>
  <Name extends NameWithFallback>(name: Name) => {
    const { parse, fallback = '' }: Variable<VariableValue<Name>> = variables[name];
    return read(name) ?? (parse(fallback) as VariableValue<Name>);
  };

/** Parses a variable of the environment, or its fallback. Adds a problem when it is invalid. */
export function readVariable<Name extends VariableName>(
  environment: NodeJS.ProcessEnv,
  name: Name,
  problems: string[],
): VariableValue<Name> | undefined {
  const variable: Variable<VariableValue<Name>> = variables[name];
  const text = textOf(environment, name) ?? variable.fallback;
  if (text === undefined) return undefined;
  const value = variable.parse(text);
  const problem = `${name} was ${masked(variable, text)}; it may be ${variable.may}.`;
  // A variable may be read twice; its problem is reported once.
  if (value === undefined && !problems.includes(problem)) problems.push(problem);
  return value;
}

/** The trimmed text of a variable; an empty variable counts as unset. */
export function textOf(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const text = environment[name]?.trim();
  return text === '' ? undefined : text;
}
