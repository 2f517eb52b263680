import { secretFileNames } from './secret-files.ts';
import { variables } from './variables.ts';

/** An environment variable with the prefix STEWARD_ that this release does not know. Its value is never read. */
export interface UnknownVariable {
  /** At most 100 characters. */
  readonly name: string;
  /** The known variable with the most similar name. */
  readonly nearest: string;
}

/** Names that other commands of this repository read: docker-compose.yml, the cluster, the tests, the fuzzer. */
const readByOtherCommands: ReadonlySet<string> = new Set([
  'STEWARD_DATABASE_PASSWORD',
  'STEWARD_TEMPORAL_SERVER_BINARY',
  'STEWARD_TEMPORAL_SQL_BINARY',
  'STEWARD_LONG_TESTS',
  'STEWARD_TEST_RUN',
  'STEWARD_FUZZ_WORLD',
]);

const secretFiles: ReadonlySet<string> = new Set(secretFileNames);
const prefix = 'STEWARD_';
const maxNameLength = 100;
const maxReported = 50;

/**
 * The unknown variables with the prefix STEWARD_, sorted by name, max 50. They are a typing error or, after a rollback, a
 * setting of a newer release: neither prevents startup.
 */
export function unknownVariables(environment: NodeJS.ProcessEnv): readonly UnknownVariable[] {
  const names = Object.keys(environment);
  const services = names.filter((name) => name.endsWith('_SERVICE_HOST')).map((name) => name.slice(0, -13));
  return names
    .filter((name) => name.toUpperCase().startsWith(prefix))
    .filter(
      (name) => !Object.hasOwn(variables, name) && !readByOtherCommands.has(name) && !secretFiles.has(name),
    )
    .filter((name) => !services.some((service) => describesService(name, service)))
    .sort()
    .slice(0, maxReported)
    .map((name) => name.slice(0, maxNameLength))
    .map((name) => ({ name, nearest: nearestKnown(name) }));
}

/** One line of text for programs that do not log. */
export function warningOf({ name, nearest }: UnknownVariable): string {
  // A name may contain any character, including a newline.
  const shown = /^\w+$/.test(name) ? name : JSON.stringify(name);
  return `Warning: ${shown} is not a variable of this release and is ignored. The nearest known name is ${nearest}.`;
}

/** Kubernetes sets variables for each service: STEWARD_API_SERVICE_HOST, STEWARD_API_PORT_3000_TCP and so on. */
function describesService(name: string, service: string): boolean {
  return ['_SERVICE_HOST', '_SERVICE_PORT', '_PORT'].some(
    (part) => name === service + part || name.startsWith(`${service + part}_`),
  );
}

/**
 * Compares names without the prefix, so that STEWARD_LOG_LEVEL is nearest to LOG_LEVEL. The distance is relative to the
 * longer name: otherwise the shortest name would be nearest to every dissimilar one.
 */
function nearestKnown(name: string): string {
  const bare = withoutPrefix(name.toUpperCase());
  const distances = Object.keys(variables).map((known) => {
    const other = withoutPrefix(known);
    return { known, distance: editDistance(bare, other) / Math.max(bare.length, other.length) };
  });
  return distances.reduce((best, next) => (next.distance < best.distance ? next : best)).known;
}

const withoutPrefix = (name: string): string => (name.startsWith(prefix) ? name.slice(prefix.length) : name);

/** The Levenshtein distance between two texts. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, character] of from.split('').entries()) {
    const next = [index + 1];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (character === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
