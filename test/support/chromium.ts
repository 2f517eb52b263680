import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium, type Browser } from 'playwright-core';

/** Starts the browser of `CHROMIUM_PATH` or of @sparticuz/chromium. */
export async function launchChromium(environment: NodeJS.ProcessEnv = process.env): Promise<Browser> {
  // A busy machine needs far longer than the usual 200 ms.
  const timeout = 300_000;
  const named = environment['CHROMIUM_PATH'];
  if (named !== undefined) return await chromium.launch({ executablePath: named, timeout });
  const folder = await unpackedChromium();
  // Not the package's arguments, which disable the same-origin policy.
  return await chromium.launch({
    executablePath: join(folder, 'chromium'),
    env: {
      ...process.env,
      // NSS and NSPR, which are missing on systems without a desktop.
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
      // Open Sans, where the system has no fonts.
      FONTCONFIG_PATH: join(folder, 'fonts'),
    },
    timeout,
  });
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The package unpacks its 209 MB to the temporary folder of its process. */
const unpack = `
  import chromium, { inflate } from '@sparticuz/chromium';
  await chromium.executablePath();
  await inflate(new URL('../bin/al2023.tar.br', import.meta.resolve('@sparticuz/chromium')).pathname);
`;

/** The package's own configuration names /tmp/fonts. */
const fontConfiguration = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">fonts</dir>
</fontconfig>
`;

/** Unpacks Chromium once per installation, also when several processes need it concurrently. */
async function unpackedChromium(): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(
      `@sparticuz/chromium has none for ${process.platform} on ${process.arch}; set CHROMIUM_PATH.`,
    );
  const cache = join(root, 'node_modules', '.cache');
  const folder = join(cache, 'steward-chromium');
  if (await exists(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const temporary = await mkdtemp(join(cache, 'chromium-'));
  try {
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', unpack], {
      cwd: root,
      env: { ...process.env, TMPDIR: temporary },
      timeout: 300_000,
    });
    await writeFile(join(temporary, 'fonts', 'fonts.conf'), fontConfiguration);
    await rename(temporary, folder).catch(async (error: unknown) => {
      if (!(await exists(folder))) throw error;
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return folder;
}

const exists = async (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
