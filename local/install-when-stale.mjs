// Begins npm scripts on the system's Node, possibly with nothing installed: only Node modules, no TypeScript.
// No pre-script runs it, because npm omits them for users who set `ignore-scripts`. Scripts continue with `hash -r`:
// bash would remember the Node that ran this file, and not find the one that it provides.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { provideNode } from './provide-node.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const lockfile = join(root, 'package-lock.json');
// npm writes this file last, so an interrupted installation counts as missing.
const installed = join(root, 'node_modules', '.package-lock.json');

// npm ci begins by deleting what another npm ci has unpacked.
const lock = join(root, '.installing');
let holdsLock = false;
const self = `${hostname()} ${process.pid}`;
/** No installation takes longer. */
const lockExpiresMs = 1_800_000;

if (staleness() !== undefined) {
  await takeLock();
  // Another command may have installed meanwhile.
  const reason = staleness();
  if (reason !== undefined) await install(reason);
  removeLock();
}
await provideNode(root).catch((error) => fail(error.message));

/** Waits while another command installs. The lock of a dead process is taken over. */
async function takeLock() {
  for (let told = false; ;) {
    try {
      writeFileSync(lock, self, { flag: 'wx' });
      holdsLock = true;
      process.on('exit', removeLock);
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') fail(`${lock} cannot be written (${error.code}): give this user access.`);
    }
    const holder = readLock();
    if (holder !== undefined && !isAlive(holder)) removeLockOf(holder);
    else if (!told) {
      told = true;
      console.error(`Another command installs dependencies here: waiting for it (${lock}) …`);
    }
    await pause(200);
  }
}

function removeLock() {
  if (holdsLock) rmSync(lock, { force: true });
  holdsLock = false;
}

function readLock(file = lock) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** A process killed before it wrote its id leaves an empty file. The id of this one belonged to an earlier container. */
function isAlive(holder) {
  const ageMs = Date.now() - (changedAt(lock) ?? Date.now());
  if (holder === self || ageMs > lockExpiresMs) return false;
  if (holder === '') return ageMs < 10_000;
  const [host, pid] = holder.split(' ');
  if (host !== hostname()) return true;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Removes the lock if it is still this holder's: another process may have replaced it since. */
function removeLockOf(holder) {
  const taken = `${lock}.${process.pid}`;
  try {
    renameSync(lock, taken);
    if (readLock(taken) !== holder) linkSync(taken, lock);
  } catch {
    // Another process was faster.
  }
  rmSync(taken, { force: true });
}

function staleness() {
  const needed = changedAt(lockfile);
  if (needed === undefined) fail('package-lock.json is missing: restore it from the repository.');
  const present = changedAt(installed);
  if (present === undefined) return 'nothing is installed yet';
  // A fresh checkout changes the lockfile's time but not its content.
  return present < needed && !samePackages() ? 'package-lock.json has changed' : undefined;
}

/** Whether exactly the lockfile's packages for this machine are installed, in their versions. */
function samePackages() {
  try {
    const { packages: needed } = JSON.parse(readFileSync(lockfile, 'utf8'));
    const { packages: present } = JSON.parse(readFileSync(installed, 'utf8'));
    const missing = Object.entries(needed).some(
      ([path, { version, optional }]) => path !== '' && !optional && present[path]?.version !== version,
    );
    return (
      !missing && Object.entries(present).every(([path, { version }]) => needed[path]?.version === version)
    );
  } catch {
    return false;
  }
}

async function install(reason) {
  console.error(`Installing dependencies (${reason}): npm ci …`);
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  const downloads = { found: 0, fetched: 0 };
  const paths = packagesHere();
  const progress = setInterval(
    () => console.error(`… ${progressOf(paths, downloads)} (${seconds()} s)`),
    3_000,
  );
  // No package needs its scripts; `provideNode` runs afterwards.
  const flags = ['--ignore-scripts', '--no-fund', '--no-audit', '--loglevel=http'];
  const npm = spawn('npm', ['ci', ...flags], { cwd: root, stdio: ['ignore', 2, 'pipe'] });
  const lines = createInterface({ input: npm.stderr });
  lines.on('line', (line) => takeLine(line, downloads));
  npm.on('error', (error) => fail(`npm could not be started (${error.message}): install Node.js with npm.`));
  const [status] = await once(npm, 'close');
  clearInterval(progress);
  if (status !== 0) fail('npm ci failed: fix the error above and run the command again.');
  console.error(`Dependencies are installed (${seconds()} s).`);
}

/** Counts npm's requests for metadata and packages. Forwards other lines except warnings. */
function takeLine(line, downloads) {
  if (line.startsWith('npm http ')) {
    if (/\.tgz(\s|$)/.test(line)) downloads.fetched += 1;
    else downloads.found += 1;
    return;
  }
  // npm's warnings concern the system's Node, but programs may run on the Node of `provideNode`.
  if (!/^npm (warn|notice|info)\b/i.test(line)) console.error(line);
}

/** "about": npm omits some optional packages of this machine. */
function progressOf(paths, { found, fetched }) {
  const there = paths.filter((path) => existsSync(join(root, path, 'package.json'))).length;
  return `of about ${paths.length} packages ${found} looked up, ${fetched} downloaded, ${there} unpacked`;
}

/** Folders of the lockfile's packages for this machine. */
function packagesHere() {
  const { packages } = JSON.parse(readFileSync(lockfile, 'utf8'));
  const glibc = existsSync('/lib64/ld-linux-x86-64.so.2') || existsSync('/lib/ld-linux-aarch64.so.1');
  return Object.entries(packages).flatMap(([path, { os, cpu, libc }]) =>
    path !== '' &&
    includes(os, process.platform) &&
    includes(cpu, process.arch) &&
    (process.platform !== 'linux' || includes(libc, glibc ? 'glibc' : 'musl'))
      ? [path]
      : [],
  );
}

/** Matches npm's platform lists: a missing list matches all, `!win32` all others. */
function includes(list, own) {
  const names = [list ?? []].flat();
  return (
    names.length === 0 ||
    names.includes(own) ||
    (names.every((name) => name.startsWith('!')) && !names.includes(`!${own}`))
  );
}

function changedAt(file) {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return undefined;
  }
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
