import { readdir, readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { theBundle } from './bundle.ts';
import { quietRuntime } from './quiet-runtime.ts';
import { replayHistory, type History } from './replay-history.ts';

const folder = new URL('../histories/', import.meta.url);
const recorded = (await readdir(folder)).filter((file) => file.endsWith('.json'));

let code: string;
beforeAll(async () => {
  quietRuntime();
  code = await theBundle();
});

async function historyOf(file: string): Promise<History> {
  return JSON.parse(await readFile(new URL(file, folder), 'utf8')) as History;
}

const replay = async (history: History): Promise<void> => replayHistory(code, history);

describe('a workflow that began under an earlier release', () => {
  it.each(recorded)('replays: %s', async (file) => {
    await replay(await historyOf(file));
  });

  it('was recorded without the folders of a machine', async () => {
    for (const file of recorded) {
      const folders = (await readFile(new URL(file, folder), 'utf8')).matchAll(
        /(?:\(|file:\/\/)(\/[^/\s]+\/)/g,
      );
      expect([file, [...folders].filter(([, top]) => top !== '/steward/')]).toEqual([file, []]);
    }
  });

  it('fails the replay when its path has changed', async () => {
    const history = await historyOf('migrate-document-completed-without-announcement.json');
    const flip = history.events.find(
      ({ activityTaskScheduledEventAttributes: scheduled }) =>
        scheduled?.activityType.name === 'flipDocumentId',
    );
    if (flip?.activityTaskScheduledEventAttributes === undefined)
      throw new Error('Missing flip in the history.');
    flip.activityTaskScheduledEventAttributes.activityType.name = 'verifyMove';
    await expect(replay(history)).rejects.toMatchObject({ name: 'DeterminismViolationError' });
  });
});
