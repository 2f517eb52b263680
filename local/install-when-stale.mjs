// Runs before every npm script, on the system's Node and with nothing installed: only Node's own modules, no TypeScript.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { provideNode } from './provide-node.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const lockfile = join(root, 'package-lock.json');
// npm writes this file last, so an interrupted installation counts as none.
const installed = join(root, 'node_modules', '.package-lock.json');

const reason = staleness();
if (reason !== undefined) await install(reason);
await provideNode(root).catch((error) => fail(error.message));

function staleness() {
  const needed = changedAt(lockfile);
  if (needed === undefined)
    fail('package-lock.json is missing, so what to install is unknown: take it from the repository.');
  const present = changedAt(installed);
  if (present === undefined) return 'nothing is installed yet';
  // A fresh checkout gives the lockfile a new time without a change: the content decides.
  return present < needed && !samePackages() ? 'package-lock.json has changed' : undefined;
}

/** Whether every package of the lockfile that belongs on this machine is there in its version, and no other is. */
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
  // Without scripts: no package needs its own, and ours follows.
  const flags = ['--ignore-scripts', '--no-fund', '--no-audit', '--loglevel=http'];
  const npm = spawn('npm', ['ci', ...flags], { cwd: root, stdio: ['ignore', 2, 'pipe'] });
  const lines = createInterface({ input: npm.stderr });
  lines.on('line', (line) => takeLine(line, downloads));
  npm.on('error', (error) => fail(`npm could not be started (${error.message}): install Node.js with npm.`));
  const [status] = await once(npm, 'close');
  clearInterval(progress);
  if (status !== 0) fail('npm ci failed, for the reason above: mend it and run the command again.');
  console.error(`Dependencies are installed (${seconds()} s).`);
}

/** Counts what npm fetches: what is known of a package, then the package. Passes on what else it says but warnings. */
function takeLine(line, downloads) {
  if (line.startsWith('npm http ')) {
    if (/\.tgz(\s|$)/.test(line)) downloads.fetched += 1;
    else downloads.found += 1;
    return;
  }
  // npm's warnings are about the system's Node, but the programs may run on another: `provideNode`.
  if (!/^npm (warn|notice|info)\b/i.test(line)) console.error(line);
}

/** Of the optional packages for this machine npm leaves some out, hence "about". */
function progressOf(paths, { found, fetched }) {
  const there = paths.filter((path) => existsSync(join(root, path, 'package.json'))).length;
  return `of about ${paths.length} packages ${found} looked up, ${fetched} downloaded, ${there} unpacked`;
}

/** Folders of the packages of the lockfile that are made for this machine. */
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

/** As npm reads such a list: none is all, `!win32` is all others. */
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
