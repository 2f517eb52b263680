import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aCheckout, type Checkout } from '../support/checkout.ts';
import { pageBlocks } from '../support/page-blocks.ts';

let checkout: Checkout;
beforeAll(async () => {
  checkout = await aCheckout();
  await checkout.write(await pageBlocks('testing-workflows'));
});
afterAll(async () => {
  await checkout.remove();
});

/** The page promises that the runner ends by itself, with everything stopped. */
const jest = ['node_modules/jest/bin/jest.js'];

describe('docs/testing-workflows.md', () => {
  it('has a workflow and a node:test that pass unchanged and end', async () => {
    const { code, output } = await checkout.node('--test', 'examples/reminder/remind-later.test.ts');
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('pass 1') });
  });

  it('has a Jest test that passes unchanged and ends', async () => {
    const { code, output } = await checkout.node(...jest, 'test/rename-document.test.ts');
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('1 passed') });
  });
});
