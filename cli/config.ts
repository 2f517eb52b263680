import { showConfiguration } from './commands/show-configuration.ts';

/** `npm run config`: every variable with its default, meaning and present value. Exit code 2 when one cannot be used. */
const { lines, exitCode } = showConfiguration(process.env);
console.log(lines.join('\n'));
process.exitCode = exitCode ?? 0;
