import { lines, markup, type Markup } from './markup.ts';
import type { Content } from './content.ts';
import { maxLengths, oneLine } from './clean-text.ts';

/** The texts of an e-mail. */
export interface Rendered {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** `unsubscribeUrl`: the page on which the reader ends these messages; undefined without a public URL. */
export function renderSingle(content: Content, unsubscribeUrl: string | undefined): Rendered {
  const { subject, headline, text, link } = content;
  return {
    subject,
    text: plain([headline, text, link ?? ''], unsubscribeUrl),
    html: page(subject, markup`<h1>${headline}</h1>${paragraph(text)}${button(link)}`, unsubscribeUrl),
  };
}

/** Notices of one document for one reader, by thread, oldest first. */
export interface DigestGroup {
  readonly documentName: string;
  readonly threads: readonly (readonly Content[])[];
}

/**
 * `title`: the name of the document, or of the organization when there are several documents. `more`: number of notices
 * that are not shown.
 */
export function renderDigest(
  groups: readonly DigestGroup[],
  title: string,
  unsubscribeUrl: string | undefined,
  more = 0,
): Rendered {
  const count = groups.flatMap(({ threads }) => threads.flat()).length + more;
  const rest = more > 0 ? `and ${String(more)} more` : '';
  const subject = oneLine(
    `${String(count)} updates in ${oneLine(title, maxLengths.documentName)}`,
    maxLengths.subject,
  );
  const text = groups.flatMap(({ documentName, threads }) => [
    documentName,
    ...threads
      .flat()
      .map((item) => [head(item), item.headline, item.text, item.link ?? ''].filter(isText).join('\n')),
  ]);
  const body = groups.map(
    ({ documentName, threads }) =>
      markup`<h2>${documentName}</h2>${threads.map((thread) => markup`<div class="thread">${thread.map(itemMarkup)}</div>`)}`,
  );
  return {
    subject,
    text: plain([...text, rest], unsubscribeUrl),
    html: page(subject, markup`<h1>${subject}</h1>${body}${paragraph(rest)}`, unsubscribeUrl),
  };
}

const isText = (text: string): boolean => text !== '';

/** Returns the time in UTC and the actor. */
const head = ({ at, actorName }: Content): string =>
  [`${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`, actorName].filter(isText).join(' · ');

const itemMarkup = (item: Content): Markup =>
  markup`<p class="head">${head(item)}</p><p><strong>${item.headline}</strong></p>${paragraph(item.text)}${button(item.link)}`;

const paragraph = (text: string): Markup => (text === '' ? markup`` : markup`<p>${lines(text)}</p>`);

const button = (link: string | undefined): Markup =>
  link === undefined ? markup`` : markup`<p><a class="button" href="${link}">Open</a></p>`;

const why = 'You are receiving this message because you are a user of this workspace.';

const plain = (parts: readonly string[], unsubscribeUrl: string | undefined): string =>
  [
    ...parts.filter(isText),
    unsubscribeUrl === undefined ? `-- \n${why}` : `-- \n${why}\nUnsubscribe: ${unsubscribeUrl}`,
  ].join('\n\n') + '\n';

const page = (title: string, body: Markup, unsubscribeUrl: string | undefined): string =>
  markup`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>
body { margin: 0; padding: 24px 16px; background: #f4f5f7; color: #1f2430; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 560px; margin: 0 auto; padding: 24px; background: #fff; border-radius: 8px; overflow-wrap: anywhere; }
h1 { margin: 0 0 16px; font-size: 20px; line-height: 1.3; }
h2 { margin: 24px 0 8px; font-size: 16px; }
p { margin: 0 0 12px; }
.head, footer { color: #5b6270; font-size: 13px; }
.thread { margin: 0 0 16px; padding-left: 12px; border-left: 3px solid #d5d9e0; }
.button { display: inline-block; padding: 8px 16px; border-radius: 6px; background: #1f4fd8; color: #fff; text-decoration: none; }
footer { max-width: 560px; margin: 16px auto 0; text-align: center; }
footer a { color: inherit; }
@media (prefers-color-scheme: dark) {
body { background: #14171d; color: #e6e9ef; }
main { background: #1d2129; }
.head, footer { color: #a4abb8; }
.thread { border-color: #3a404c; }
.button { background: #7c9cff; color: #10131a; }
}
</style>
</head>
<body>
<main>${body}</main>
<footer><p>${why}${unsubscribeUrl === undefined ? markup`` : markup` <a href="${unsubscribeUrl}">Unsubscribe</a>`}</p></footer>
</body>
</html>
`.text;
