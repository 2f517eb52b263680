import { describe, it } from '@jest/globals';
import { programIn, receiptScene, run } from './receipt-programs.ts';

const expectToVerify = await receiptScene();

describe('the page on deleting users’ data shows how to verify a receipt', () => {
  it('in Node with jose by a program that accepts only valid receipts', async () => {
    const source = programIn('js');
    await expectToVerify((input, environment) =>
      run(process.execPath, ['--input-type=module', '-e', source], { input, environment }),
    );
  });
});
