import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { contentOf, sendContent, type Content } from '../cross-resource/cached-page.ts';
import type { RequestMiddleware } from '../http/middleware/state.ts';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Paths below `/console` that serve no pages. */
const reserved = /^\/console\/(?:api|session|sessions)(?:\/|$)/;
const assets = '/console/assets/';

/** The build writes it where a library needs a nonce for its styles; each response contains a new nonce. */
const noncePlaceholder = '__STEWARD_NONCE__';

/**
 * Pages load files from their own origin and call it. Nothing is inline, except styles with the nonce of the response.
 */
const policyOf = (nonce: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self'; font-src 'self'; ` +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const notBuilt = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="3"><title>Steward console</title></head>
<body><p>The console is not built yet. <code>npm start</code> builds it after startup. Elsewhere run
<code>npm -w console run build</code>. This page reloads.</p></body></html>
`;

/** The files of one build, by path. Each is read and compressed once, at its first request. */
interface Build {
  readonly builtAtMs: number;
  readonly names: ReadonlySet<string>;
  readonly contents: Map<string, Promise<Content>>;
}

/** Serves the built console from `folder`. Paths without a file return the page, whose router knows them. */
export function consoleFiles(folder: URL): RequestMiddleware {
  let build: Build | undefined;
  const current = async (): Promise<Build | undefined> => {
    const index = await stat(new URL('index.html', folder)).catch(() => undefined);
    if (index === undefined) return (build = undefined);
    if (build?.builtAtMs !== index.mtimeMs) build = await readBuild(folder, index.mtimeMs);
    return build;
  };
  return async function consoleFiles(context, next) {
    const { path, method } = context;
    if (reserved.test(path) || (method !== 'GET' && method !== 'HEAD')) return next();
    const found = await current();
    const name = path.slice('/console/'.length);
    if (found?.names.has(name) === true && name !== 'index.html') {
      const content = await readContent(found, folder, name);
      if (path.startsWith(assets)) context.set('Cache-Control', 'public, max-age=31536000, immutable');
      return sendContent(context, content, types[extname(name)] ?? 'application/octet-stream');
    }
    if (path.startsWith(assets)) return next();
    const nonce = randomBytes(18).toString('base64url');
    context.set('Content-Security-Policy', policyOf(nonce));
    context.status = found === undefined ? 503 : 200;
    if (found === undefined) context.set('Retry-After', '3');
    const page = found && (await readFile(new URL('index.html', folder), 'utf8'));
    context.type = 'text/html; charset=utf-8';
    context.body = page?.replaceAll(noncePlaceholder, nonce) ?? notBuilt;
  };
}

async function readBuild(folder: URL, builtAtMs: number): Promise<Build> {
  const entries = await readdir(folder, { recursive: true });
  return {
    builtAtMs,
    names: new Set(entries.filter((name) => extname(name) in types)),
    contents: new Map(),
  };
}

async function readContent({ contents }: Build, folder: URL, name: string): Promise<Content> {
  const made = contents.get(name) ?? readFile(new URL(name, folder)).then(contentOf);
  contents.set(name, made);
  // Retries a file that could not be read.
  made.catch(() => contents.delete(name));
  return made;
}
