#!/usr/bin/env node
// Runs on the system's Node, which may be older than 24: only Node modules, no TypeScript.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('main.ts', import.meta.url));
const provided = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url));
const node = existsSync(provided) ? provided : process.execPath;
const command = spawn(node, [program, ...process.argv.slice(2)], { stdio: 'inherit' });
// A supervisor signals this process only. Without this, the command would outlive it.
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => command.kill(name));
command.on('exit', (code, signal) => {
  process.exitCode = code ?? 128 + constants.signals[signal];
});
