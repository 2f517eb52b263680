// Runs on the system's Node, which may be older than 24, possibly with nothing installed: only Node modules, no TypeScript.
import { execFileSync, spawn } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The Node that is downloaded when the system's is older than `major`: npm's package for each platform, with its hash. */
export const nodeRelease = {
  major: 24,
  version: '24.21.0',
  integrity: {
    'linux-x64':
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    'linux-arm64':
      'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
};

const platform = `${process.platform}-${process.arch}`;

/** Path of the program in a cache. */
const programOf = ({ version }) => join(`node-${version}-${platform}`, 'node');

/**
 * Makes npm scripts and `npx node` run a recent Node. When the system's is too old, `node_modules/.bin/node` links to a
 * program that is downloaded once into a cache outside node_modules. Rejects with the reason and the remedy in one line.
 */
export async function provideNode(root, release = nodeRelease) {
  const link = join(root, 'node_modules', '.bin', 'node');
  const caches = [
    join(homedir(), '.cache', 'steward'),
    join(resolve(root, process.env.STEWARD_DATA_DIR || '.data'), 'programs'),
  ];
  const program = programOf(release);
  const linked = targetOf(link);
  if (linked?.endsWith(`/${program}`) && existsSync(link)) return;
  // This program may run on the link of an earlier release, or on one that `npm ci` has just removed.
  const provided =
    linked !== undefined || caches.some((cache) => process.execPath.startsWith(join(cache, 'node-')));
  const own = provided ? versionWithout(dirname(link)) : process.versions.node;
  if (Number.parseInt(own, 10) >= release.major) {
    rmSync(link, { force: true });
    return;
  }
  try {
    const cached = caches.map((cache) => join(cache, program)).find((path) => existsSync(path));
    replaceLink(link, cached ?? (await fetchNode(caches, release, own)));
  } catch (error) {
    throw new Error(
      `Node.js ${own} is too old, and Node.js ${release.version} cannot be provided ` +
        `(${error.message}): install Node.js ${release.major} or later.`,
      { cause: error },
    );
  }
}

function targetOf(link) {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}

/** The version of the Node on PATH, ignoring one folder: `24.21.0`. */
function versionWithout(folder) {
  const path = (process.env.PATH ?? '').split(delimiter).filter((one) => resolve(one) !== folder);
  const environment = { ...process.env, PATH: path.join(delimiter) };
  return execFileSync('node', ['--version'], { env: environment, encoding: 'utf8' }).trim().slice(1);
}

/** Replaces the link atomically: another start may use it meanwhile. */
function replaceLink(link, program) {
  mkdirSync(dirname(link), { recursive: true });
  const draft = `${link}.${process.pid}`;
  rmSync(draft, { force: true });
  symlinkSync(program, draft);
  renameSync(draft, link);
}

/** npm downloads and verifies the package in a temporary folder; the program moves into the cache atomically. */
async function fetchNode(caches, release, own) {
  const { version, integrity } = release;
  const hash = integrity[platform];
  if (hash === undefined) throw new Error(`npm has no package for ${platform}`);
  const cache = caches.find(isWritable);
  if (cache === undefined) throw new Error(`neither ${caches.join(' nor ')} is writable`);
  removeAbandoned(cache);
  const folder = mkdtempSync(join(cache, prefix));
  try {
    const name = `node-${platform}`;
    writePackage(folder, name, version, hash);
    console.error(`Downloading Node.js ${version} from the npm registry, because ${own} is too old …`);
    await install(folder);
    const fetched = join(folder, 'node_modules', name, 'bin', 'node');
    // It may require another C library.
    execFileSync(fetched, ['--version'], { stdio: 'ignore' });
    const kept = join(cache, programOf(release));
    mkdirSync(dirname(kept), { recursive: true });
    renameSync(fetched, kept);
    return kept;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes a package whose lockfile pins its one dependency by hash: `npm ci` installs exactly that or fails. */
function writePackage(folder, name, version, hash) {
  const dependencies = { [name]: version };
  const packages = { '': { dependencies }, [`node_modules/${name}`]: { version, integrity: hash } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies }));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
}

async function install(folder) {
  const began = Date.now();
  const progress = setInterval(() => {
    const seconds = Math.round((Date.now() - began) / 1000);
    console.error(`… Node.js: ${megabytesIn(folder)} of about 190 MB unpacked (${seconds} s)`);
  }, 3_000);
  try {
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
    const npm = spawn('npm', ['ci', ...flags], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    let output = '';
    npm.stderr.on('data', (chunk) => (output = (output + chunk).slice(0, 4_096)));
    await new Promise((resolve, reject) => {
      npm.on('error', (error) => reject(new Error(`npm could not be started: ${error.message}`)));
      npm.on('close', (status) => (status === 0 ? resolve() : reject(new Error(reasonIn(output)))));
    });
  } finally {
    clearInterval(progress);
  }
}

/** npm's error code and first line: `EINTEGRITY sha512-… integrity checksum failed …`. */
function reasonIn(output) {
  const lines = output.split('\n').flatMap((line) => line.match(/^npm error (?:code )?(.+)/)?.[1] ?? []);
  return lines.length === 0 ? 'npm ci failed' : lines.slice(0, 2).join(' ');
}

function megabytesIn(folder) {
  try {
    const files = readdirSync(folder, { recursive: true }).map((name) => statSync(join(folder, name)));
    return Math.round(files.reduce((sum, { size }) => sum + size, 0) / 1_000_000);
  } catch {
    // A file was deleted meanwhile.
    return 0;
  }
}

function isWritable(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

const prefix = '.download-';
const abandonedAfterMs = 3_600_000;

/** Removes the folders of killed downloads; a younger folder may still be in use. */
function removeAbandoned(cache) {
  for (const name of readdirSync(cache).filter((entry) => entry.startsWith(prefix))) {
    const { mtimeMs } = statSync(join(cache, name), { throwIfNoEntry: false }) ?? { mtimeMs: Infinity };
    if (mtimeMs < Date.now() - abandonedAfterMs) rmSync(join(cache, name), { recursive: true, force: true });
  }
}

// Also runs as a program after `npm ci`, for `npx node`, which no npm script precedes.
const self = fileURLToPath(import.meta.url);
if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === self) {
  await provideNode(join(dirname(self), '..')).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
