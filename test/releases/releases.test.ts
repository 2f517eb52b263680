import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { ownVersion } from '../../platform/process/own-version.ts';
import { aRelease } from '../support/release.ts';
import { release020 } from './releases.ts';

const textOf = async (path: string): Promise<string> =>
  readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('the version of package.json', () => {
  it('equals the next release in CHANGELOG.md and the image tag in docker-compose.yml', async () => {
    const [next] = ownVersion.split('-');
    const text = await textOf('CHANGELOG.md');
    expect(text).toContain(ownVersion === next ? `## ${next}\n` : `\nThe next release is ${String(next)}.\n`);
    expect(await textOf('docker-compose.yml')).toContain(`\n  image: steward:${ownVersion}\n`);
  });
});

describe('the release before this one', () => {
  it('is the commit that CHANGELOG.md names', async () => {
    expect(await textOf('CHANGELOG.md')).toContain(
      `## ${release020.version}\n\nCommit \`${release020.commit}\`.`,
    );
  });

  it('is reported in one line when the clone lacks its commit', async () => {
    const commit = '0123456789abcdef0123456789abcdef01234567';
    await expect(aRelease({ version: '0.0.0', commit })).rejects.toThrow(
      /^This clone has no commit 0123456789abcdef.* \(release 0\.0\.0\): run git fetch --unshallow, or clone with the history\.$/,
    );
  });
});
