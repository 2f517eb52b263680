import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aCheckout, type Checkout } from '../support/checkout.ts';
import { pageBlocks } from '../support/page-blocks.ts';

let checkout: Checkout;
let files: string[];
beforeAll(async () => {
  checkout = await aCheckout();
  files = await checkout.write(await pageBlocks('adding-a-job-kind'));
});
afterAll(async () => {
  await checkout.remove();
});

describe('docs/adding-a-job-kind.md', () => {
  it('adds a job kind in five files', () => {
    expect(new Set(files).size).toBe(5);
    expect(files).toHaveLength(5);
  });

  it('has code without type errors', async () => {
    expect(await checkout.node('node_modules/typescript/bin/tsc')).toMatchObject({ code: 0, output: '' });
  });

  it('has code without lint errors', async () => {
    const { code, output } = await checkout.node(
      'node_modules/oxlint/bin/oxlint',
      '--deny-warnings',
      ...files,
    );
    expect({ code, output }).toMatchObject({ code: 0 });
  });

  it('has a test that passes unchanged', async () => {
    const jest = ['node_modules/jest/bin/jest.js'];
    const { code, output } = await checkout.node(...jest, 'test/workflows/close-documents.test.ts');
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('1 passed') });
  });
});
