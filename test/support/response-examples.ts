import { mkdirSync, writeFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import type { Endpoint } from '../../api/http/endpoint.ts';
import { operationIdOf } from '../../api/openapi/operation-id.ts';
import { exampleFile, responseExamplesOf } from '../../api/openapi/response-examples.ts';
import type { Response } from './client.ts';
import { Normalizer } from './example-values.ts';
import type { WorldIds } from './world-ids.ts';

/** Set by `npm run record:examples`: responses are written instead of compared. */
export const recording = process.env['TEST_RECORD_EXAMPLES'] === 'on';

/** A request and its response. */
export interface Exchange {
  readonly endpoint: Endpoint;
  readonly sent: object;
  readonly ids: Partial<WorldIds>;
  readonly response: Response;
}

/** Compares a response with the recorded one after replacing ids, times, tokens and measured numbers by those of the examples. */
export function expectRecorded({ endpoint, sent, ids, response }: Exchange): void {
  const normalizer = new Normalizer(ids, sent, endpoint.example);
  const type = response.headers['content-type']?.split(';')[0] ?? 'application/json';
  const body = type === 'application/json' ? normalizer.json(response.body) : normalizer.lines(response.text);
  const id = operationIdOf(endpoint.paths.at(-1) ?? endpoint.paths[0]);
  if (recording) {
    const file = exampleFile(id);
    mkdirSync(new URL('.', file), { recursive: true });
    writeFileSync(file, `${JSON.stringify({ ...responseExamplesOf(id), [type]: body }, undefined, 2)}\n`);
    return;
  }
  const recorded = responseExamplesOf(id)[type];
  if (recorded === undefined)
    throw new Error(`No recorded response of ${id}. Run: npm run record:examples -- -t ${endpoint.paths[0]}`);
  // To update after a change of a response: npm run record:examples
  expect(body).toEqual(recorded);
}
