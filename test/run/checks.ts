import { fileURLToPath } from 'node:url';
import { runCommand } from '../../local/run-command.ts';
import { oneFailed, onePassed, sum } from './tally.ts';
import type { Tally } from './tally.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Caches by content, which a fresh checkout does not change. Prettier also compares version and options. */
const prettierCache = [
  '--cache',
  '--cache-strategy=content',
  '--cache-location=node_modules/.cache/prettier/.prettier-cache',
];

const checks = [
  {
    title: 'format',
    program: 'prettier',
    argumentList: ['--check', '--log-level=warn', ...prettierCache, '.'],
  },
  // The linter checks the types of both projects, so `tsc` as in `npm run check` is not needed.
  {
    title: 'lint and types',
    program: 'oxlint',
    argumentList: ['--type-aware', '--type-check', '--deny-warnings'],
  },
] as const;

/** Far above what a check takes: on a slow machine, the default of 10 minutes is too short. */
const timeoutMs = 4 * 3_600_000;

/** Runs the checks of format and of lint with types. Each counts as one guarantee. Shows the output of a failing one. */
export async function runChecks(signal: AbortSignal, show: (line: string) => void): Promise<Tally> {
  const tallies: Tally[] = [];
  for (const { title, program, argumentList } of checks) {
    const started = Date.now();
    const { ok, output } = await runCommand(`${root}/node_modules/.bin/${program}`, argumentList, {
      directory: root,
      timeoutMs,
      signal,
    });
    show(`${ok ? 'PASS' : 'FAIL'} ${title} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
    if (!ok) show(output);
    tallies.push(ok ? onePassed : oneFailed);
  }
  return sum(tallies);
}
