import { existsSync, readFileSync } from 'node:fs';

/** Bodies of a successful response by media type, as `npm run record:examples` wrote them. */
export type ResponseExamples = Readonly<Record<string, unknown>>;

/** The file with the recorded response of an operation, by its id. */
export const exampleFile = (operationId: string): URL =>
  new URL(`examples/${operationId}.json`, import.meta.url);

/** Reads the recorded response of an operation. Empty for an operation without one: tests fail for it. */
export function responseExamplesOf(operationId: string): ResponseExamples {
  const file = exampleFile(operationId);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ResponseExamples) : {};
}
