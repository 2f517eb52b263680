/** The output of a command, for people and for programs. */
export interface Output {
  readonly lines: readonly string[];
  readonly json: unknown;
  readonly exitCode?: number;
}

/** `name: value` lines, and the same as JSON. */
export const members = (values: Readonly<Record<string, string>>): Output => ({
  lines: Object.entries(values).map(([name, value]) => `${name}: ${value}`),
  json: values,
});
