import { createRequire } from 'node:module';

/** Packages that only some installations need: optional peers in package.json, in the same versions. */
const versions = { svix: '2.5.0' } as const;

/** Undefined when the package is installed; else the rest of a sentence about the setting that needs it. */
export function packageProblem(name: keyof typeof versions): string | undefined {
  try {
    createRequire(import.meta.url).resolve(name);
    return undefined;
  } catch {
    const command = `npm install --no-save --save-prod --omit=dev --omit=optional ${name}@${versions[name]}`;
    return `needs the package ${name}, which is not installed: run ${command}`;
  }
}
