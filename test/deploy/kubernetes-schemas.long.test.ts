import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';

const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), 'steward-kubernetes-'));
afterAll(async () => await rm(folder, { recursive: true }));

// The package carries the schemas of every Kubernetes release, so that nothing else is downloaded.
const validator = await install();
if (typeof validator === 'string') process.stderr.write(`${validator}\n`);

async function install(): Promise<
  string | { readonly check: (...files: readonly string[]) => Promise<unknown> }
> {
  try {
    await run('python3', [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--target',
      folder,
      'kubernetes-validate==1.37.0',
    ]);
  } catch {
    return 'kubernetes-validate is missing: pip could not install it from PyPI. Its tests are skipped.';
  }
  return {
    check: async (...files) =>
      await run('python3', ['-m', 'kubernetes_validate', '--strict', '--quiet', ...files], {
        env: { ...process.env, PYTHONPATH: folder },
      }),
  };
}

describe.each(['1.29', '1.32', '1.35'])('deploy/kubernetes', (release) => {
  const test = typeof validator === 'string' ? it.skip : it;

  test(`has no unknown or mistyped member, by the schemas of Kubernetes ${release}`, async () => {
    if (typeof validator === 'string') return;
    // Kustomize and the External Secrets Operator define their own kinds.
    const files = (await readdir('deploy/kubernetes')).filter((file) => !/kustomization|secrets/.test(file));
    expect(files.length).toBeGreaterThan(4);
    for (const file of files) await validator.check('-k', release, join('deploy/kubernetes', file));
  });
});
