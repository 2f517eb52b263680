import { mkdtemp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { simpleParser } from 'mailparser';
import type { Email } from '../../../platform/senders/email.ts';
import { mailFiles } from '../../../platform/senders/mail-files.ts';

const email: Email = {
  messageId: '<dlv_1@example.org>',
  from: { name: 'Ada via Acme', address: 'noreply@example.org' },
  to: 'reader@example.com',
  replyTo: '',
  subject: 'Ada commented',
  text: 'See the plan.',
  html: '<p>See the plan.</p>',
  headers: {},
};

/** A sender of files to a new folder, and the paths that it has written. */
async function aSender() {
  const folder = join(await mkdtemp(join(tmpdir(), 'mail-files-')), 'mails');
  const written: string[] = [];
  return { folder, written, sender: mailFiles(folder, (path) => written.push(path)) };
}

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

describe('an e-mail that is written to a file', () => {
  it('can be read by its owner only, and names its delivery', async () => {
    const { folder, written, sender } = await aSender();
    expect(await sender.send('key', email)).toEqual({
      result: 'accepted',
      code: 'file',
      reference: email.messageId,
    });
    const [path = ''] = written;
    expect(dirname(path)).toBe(folder);
    expect(basename(path)).toMatch(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-dlv_1\.eml$/);
    expect(await readdir(folder)).toEqual([basename(path)]);
    expect([await modeOf(path), await modeOf(folder)]).toEqual(['600', '700']);
    const { subject, html, to } = await simpleParser(await readFile(path));
    expect([subject, html, to]).toMatchObject([email.subject, email.html, { text: email.to }]);
  });

  it('replaces the oldest of 1,000', async () => {
    const { folder, written, sender } = await aSender();
    await mkdir(folder);
    const nameOf = (number: number): string =>
      `2026-01-01T00-00-00.000Z-dlv_${String(number).padStart(4, '0')}.eml`;
    const names = Array.from({ length: 1_002 }, (_, number) => nameOf(number));
    for (const name of names) await writeFile(join(folder, name), '');
    await sender.send('key', email);
    const left = (await readdir(folder)).toSorted();
    expect(left).toEqual([...names.slice(3), basename(written[0] ?? '')].toSorted());
  });

  it('leaves files that others wrote', async () => {
    const { folder, sender } = await aSender();
    await mkdir(folder);
    const foreign = [
      ...Array.from({ length: 1_002 }, (_, number) => `${String(number)}.eml`),
      '2026-01-01T00-00-00.000Z-report.eml',
      '2026-01-01T00-00-00.000Z-dlv_1.eml.bak',
      'notes.txt',
    ];
    for (const name of foreign) await writeFile(join(folder, name), '');
    for (let sent = 0; sent < 101; sent += 1) await sender.send('key', email);
    expect(await readdir(folder)).toEqual(expect.arrayContaining(foreign));
  });
});
