import { describeConfiguration } from '../../platform/config/describe-configuration.ts';
import { generateEnvironment } from '../../platform/config/generate-environment.ts';
import { exitCodes } from '../failure.ts';
import type { Output } from '../output.ts';

/** The same as `npm run config`. */
export function showConfiguration(environment: NodeJS.ProcessEnv): Output {
  const described = describeConfiguration(environment);
  return {
    lines: described.flatMap(({ name, meaning, default: fallback, value, mayBe }) => [
      name,
      `    ${meaning}`,
      `    default: ${fallback}`,
      `    now:     ${value ?? 'unset'}`,
      ...(mayBe === undefined ? [] : [`    refused: it may be ${mayBe}`]),
    ]),
    json: described,
    exitCode: described.some(({ mayBe }) => mayBe !== undefined) ? exitCodes.misused : exitCodes.done,
  };
}

/** New secrets each time. */
export function showEnvironment(): Output {
  const text = generateEnvironment();
  const lines = text.split('\n');
  const assignments = lines.filter((line) => /^[A-Z_]+=/.test(line));
  return {
    lines,
    json: Object.fromEntries(
      assignments.map((line) => {
        const equals = line.indexOf('=');
        return [line.slice(0, equals), line.slice(equals + 1)];
      }),
    ),
  };
}
