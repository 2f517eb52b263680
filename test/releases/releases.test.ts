import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { aRelease } from '../support/release.ts';
import { release020 } from './releases.ts';

describe('the release before this one', () => {
  it('is the commit that CHANGELOG.md names', async () => {
    const changelog = await readFile(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
    expect(changelog).toContain(`## ${release020.version}\n\nCommit \`${release020.commit}\`.`);
  });

  it('is reported by one line where the clone has no such commit', async () => {
    const commit = '0123456789abcdef0123456789abcdef01234567';
    await expect(aRelease({ version: '0.0.0', commit })).rejects.toThrow(
      /^This clone has no commit 0123456789abcdef.* \(release 0\.0\.0\): run git fetch --unshallow, or clone with the history\.$/,
    );
  });
});
