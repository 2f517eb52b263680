import { afterAll, describe, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { expectOthersServed } from './beside-large-bodies.ts';
import {
  allWrong,
  crdt,
  domains,
  filterValues,
  manyValues,
  metadata,
  notification,
  resources,
  type Body,
} from './large-bodies.ts';

const api = await startTestApi();
afterAll(api.close);

describe('the API', () => {
  it.each<[string, Body, number]>([
    ['activities with many values', manyValues, 2],
    ['a notification with large recipients', notification, 2],
    ['collaborative data', crdt, 1],
    ['99,000 values that are all wrong', allWrong, 2],
    ['documents with metadata', metadata, 2],
    ['99,000 domains', domains, 2],
    ['99,000 resources', resources, 2],
    ['99,000 values of a filter', filterValues, 2],
  ])('responds to other keys during %s', async (_kind, make, connections) =>
    expectOthersServed(api, make, connections),
  );
});
