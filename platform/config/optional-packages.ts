import { createRequire } from 'node:module';

/** Optional peer dependencies of package.json, with the same versions. */
const versions = {
  '@modelcontextprotocol/server': '2.4.0',
  '@opentelemetry/sdk-node': '0.301.0',
  svix: '2.5.0',
} as const;

/** Undefined when the package is installed; otherwise the predicate of a sentence whose subject is the setting. */
export function packageProblem(name: keyof typeof versions): string | undefined {
  try {
    createRequire(import.meta.url).resolve(name);
    return undefined;
  } catch {
    const command = `npm install --no-save --save-prod --omit=dev --omit=optional ${name}@${versions[name]}`;
    return `needs the package ${name}, which is not installed: run ${command}`;
  }
}
