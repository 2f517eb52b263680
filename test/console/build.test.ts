import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bundleBytes, maxBundleBytes, type BundleBytes } from '../../bench/console/bundle.ts';
import { buildConsole } from '../support/built-console.ts';

let folder: string;
let bytes: BundleBytes;
let page: string;

beforeAll(async () => {
  folder = await buildConsole();
  bytes = await bundleBytes(folder);
  page = await readFile(join(folder, 'index.html'), 'utf8');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the build of the console', () => {
  it('loads at most 200 kB of JavaScript, compressed, before the first page', () => {
    expect(bytes.first).toBeLessThanOrEqual(maxBundleBytes.first);
    expect(bytes.first).toBeGreaterThan(10_000);
  });

  it('loads at most 120 kB more for each page', () => {
    const pages = Object.entries(bytes.pages);
    expect(pages.length).toBeGreaterThan(3);
    expect(pages.filter(([, more]) => more > maxBundleBytes.page)).toEqual([]);
  });

  it('has a page without inline scripts and styles, whose nonces the API sets', () => {
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)/);
    expect(page).not.toMatch(/<style|\sstyle=|\son[a-z]+=/);
    expect(page).toContain('<meta property="csp-nonce" nonce="__STEWARD_NONCE__">');
    expect(page).not.toMatch(/https?:\/\/|data:/);
  });
});
