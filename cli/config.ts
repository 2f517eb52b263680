import { describeConfiguration } from '../platform/config/describe-configuration.ts';

/** `npm run config`: every variable with its default, meaning and present value. Exit code 2 when one cannot be used. */
let bad = false;
for (const variable of describeConfiguration(process.env)) {
  console.log(`${variable.name}\n    ${variable.meaning}\n    default: ${variable.default}`);
  console.log(`    now:     ${variable.value ?? 'unset'}`);
  if (variable.mayBe === undefined) continue;
  bad = true;
  console.log(`    refused: it may be ${variable.mayBe}`);
}
process.exitCode = bad ? 2 : 0;
