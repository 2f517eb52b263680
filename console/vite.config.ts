import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** `npm run build -w console` writes `dist`, which the API serves below `/console`. */
export default defineConfig({
  base: '/console/',
  // The API replaces it with the nonce of each response; React Aria reads it for the one style element that it adds.
  html: { cspNonce: '__STEWARD_NONCE__' },
  resolve: {
    alias: {
      '@steward/client': fileURLToPath(new URL('../packages/client/source/steward.ts', import.meta.url)),
    },
  },
  build: {
    target: 'es2023',
    // The page's Content Security Policy forbids data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      onLog(level, log, report) {
        // "use client" is for servers that render React; every package of the console carries it.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
      },
    },
  },
});
