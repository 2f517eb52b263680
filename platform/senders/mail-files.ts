import { open, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { EmailSender } from './smtp-sender.ts';
import { composed } from './smtp-sender.ts';

/** Max files of Steward in the folder; the oldest are deleted. */
const keptFiles = 1_000;

/** The names that `send` gives. Other files in the folder are not Steward's and are never deleted. */
const ownName = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-dlv_[\w-]+\.eml$/;

/** Messages between two deletions of old files. */
const cleanUpEvery = 100;

/**
 * For development: writes each e-mail to `<time>-<delivery>.eml` in `folder` instead of sending it. Files have mode
 * 0600, the folder 0700. Calls `written` with each path.
 */
export function mailFiles(folder: string, written: (path: string) => void): EmailSender {
  let sinceCleanUp = 0;
  return {
    async send(_key, email) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const id = email.messageId.slice(1).replace(/[^\w-].*$/s, '');
      const path = join(folder, `${new Date().toISOString().replaceAll(':', '-')}-${id}.eml`);
      const content = await new MailComposer(composed(email)).compile().build();
      const file = await open(`${path}.part`, 'wx', 0o600);
      try {
        await file.writeFile(content);
      } finally {
        await file.close();
      }
      await rename(`${path}.part`, path);
      written(path);
      sinceCleanUp += 1;
      if (sinceCleanUp % cleanUpEvery === 1) await deleteOld(folder);
      return { result: 'accepted', code: 'file', reference: email.messageId };
    },
    close: () => undefined,
  };
}

async function deleteOld(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => ownName.test(name)).toSorted();
  await Promise.all(names.slice(0, -keptFiles).map(async (name) => rm(join(folder, name), { force: true })));
}
