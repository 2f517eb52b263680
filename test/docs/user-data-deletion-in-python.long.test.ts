import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from '@jest/globals';
import { programIn, receiptScene, run } from './receipt-programs.ts';

const python = await pythonWithCryptography();
if ('missing' in python) process.stderr.write(`${python.missing}\n`);
const itInPython = 'missing' in python ? it.skip : it;

/** The environment of a Python with the page's package, or one line about what is missing. */
async function pythonWithCryptography(): Promise<
  { readonly environment: NodeJS.ProcessEnv } | { readonly missing: string }
> {
  if ((await run('python3', ['--version'])).code !== 0)
    return { missing: 'python3 is missing. The test of the program in Python is skipped.' };
  if ((await run('python3', ['-c', 'import cryptography'])).code === 0) return { environment: {} };
  const folder = await mkdtemp(join(tmpdir(), 'steward-python-'));
  const install = ['-m', 'pip', 'install', '--quiet', '--target', folder, 'cryptography'];
  if ((await run('python3', install)).code === 0) return { environment: { PYTHONPATH: folder } };
  return {
    missing:
      'cryptography is missing: pip could not install it from PyPI. The test of the program in Python is skipped.',
  };
}

const expectToVerify = await receiptScene();

describe('the page on deleting users’ data shows how to verify a receipt', () => {
  itInPython('in Python by a program that accepts only valid receipts', async () => {
    if ('missing' in python) return;
    const source = programIn('python');
    await expectToVerify((input, environment) =>
      run('python3', ['-c', source], { input, environment: { ...python.environment, ...environment } }),
    );
  });
});
