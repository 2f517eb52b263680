#!/usr/bin/env node
// Runs on the system's Node, which may be older than 24: only Node modules, no TypeScript.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('main.ts', import.meta.url));
const provided = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url));
const node = existsSync(provided) ? provided : process.execPath;
const { status } = spawnSync(node, [program, ...process.argv.slice(2)], { stdio: 'inherit' });
process.exitCode = status ?? 1;
