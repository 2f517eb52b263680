import { createHash } from 'node:crypto';
import type { UnsubscribeScope } from '../../domain/notifications/unsubscribe.ts';

export const unsubscribed: Readonly<Record<UnsubscribeScope, string>> = {
  organization: 'You have been unsubscribed from the e-mails of this organization.',
  document: 'You have been unsubscribed from e-mails about this document.',
};

export const refusals = {
  unknownToken: 'This unsubscribe link is not valid.',
  tooManyTokens: 'Too many invalid unsubscribe links. Try again later.',
  unknownForm: 'Send the form of the unsubscribe page, or List-Unsubscribe=One-Click.',
  noDocument: 'This link is for several documents. Unsubscribe from the organization.',
} as const;

const style = `
body { margin: 0; padding: 48px 16px; background: #f4f5f7; color: #1f2430; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 480px; margin: 0 auto; padding: 32px; background: #fff; border-radius: 8px; }
h1 { margin: 0 0 16px; font-size: 22px; line-height: 1.3; }
p { margin: 0 0 16px; }
button { width: 100%; min-height: 44px; margin: 8px 0 0; padding: 8px 16px; border: 0; border-radius: 6px;
  background: #1f4fd8; color: #fff; font: inherit; cursor: pointer; }
button:focus-visible { outline: 3px solid #7c9cff; outline-offset: 2px; }
@media (prefers-color-scheme: dark) {
body { background: #14171d; color: #e6e9ef; }
main { background: #1d2129; }
button { background: #7c9cff; color: #10131a; }
}
`;

const styleHash = createHash('sha256').update(style).digest('base64');

/** The token is in the URL, so pages leave no trace of it: no referrer, no cache, no index, no scripts, no frames. */
export const pageHeaders = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'X-Robots-Tag': 'noindex',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** A page of one sentence. */
export const sentencePage = (sentence: string): string => page(`<h1>${sentence}</h1>`);

/** The page with a button for each scope. It names no user: everyone who has the link may open it. */
export const unsubscribePage = (hasDocument: boolean): string =>
  page(`<h1>Unsubscribe from e-mails</h1>
<p>Opening this page has changed nothing. Choose which e-mails to stop.</p>
${hasDocument ? button('document', 'Stop e-mails about this document') : ''}
${button('organization', 'Stop all e-mails from this organization')}`);

const button = (scope: UnsubscribeScope, label: string): string =>
  `<form method="post"><button name="scope" value="${scope}">${label}</button></form>`;

const page = (body: string): string => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Unsubscribe</title>
<style>${style}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
