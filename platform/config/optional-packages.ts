import { createRequire } from 'node:module';

/** Optional peer dependencies of package.json, with the argument that adds them to an image. */
const buildArguments = {
  '@modelcontextprotocol/server': undefined,
  '@opentelemetry/sdk-node': 'TRACING_PACKAGE',
  svix: 'SVIX_PACKAGE',
} as const;

const requires = createRequire(import.meta.url);

/** Undefined when the package is installed; otherwise the predicate of a sentence whose subject is the setting. */
export function packageProblem(name: keyof typeof buildArguments): string | undefined {
  try {
    requires.resolve(name);
    return undefined;
  } catch {
    const { peerDependencies } = requires('../../package.json') as {
      readonly peerDependencies: Readonly<Record<string, string>>;
    };
    const version = `${name}@${peerDependencies[name] ?? ''}`;
    const command = `npm install --no-save --save-prod --omit=dev --omit=optional ${version}`;
    const argument = buildArguments[name];
    const image = argument === undefined ? '' : `. For an image, build it with ${argument}=${version}`;
    return `needs the package ${name}, which is not installed: run ${command}${image}`;
  }
}
