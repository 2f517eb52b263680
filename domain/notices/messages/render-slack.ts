import type { Content } from './content.ts';

/** A message as Slack's blocks, and the text that Slack's own notifications show instead. */
export interface SlackTexts {
  readonly text: string;
  readonly blocks: readonly object[];
}

/** Max UTF-16 code units that Slack accepts. */
const maxBlockText = 3_000;
const maxFallback = 3_000;

/** Max items of a digest that are shown. */
const maxDigestItems = 20;

/** Texts of users are plain text in blocks, so Slack never parses them as markup. */
export function slackSingle({ headline, text, link }: Content): SlackTexts {
  return {
    text: escaped(headline),
    blocks: [section(text === '' ? headline : `${headline}\n${text}`), ...buttons(link)],
  };
}

/** `title`: the name of the document, or of the organization when there are several documents. */
export function slackDigest(items: readonly Content[], title: string): SlackTexts {
  const headline = `${String(items.length)} updates in ${title}`;
  const shown = items.slice(0, maxDigestItems);
  const left = items.length - shown.length;
  return {
    text: escaped(headline),
    blocks: [
      section(headline),
      ...shown.flatMap((item) => [
        section(
          [`${item.documentName}: ${item.headline}`, item.text].filter((part) => part !== '').join('\n'),
        ),
        ...buttons(item.link),
      ]),
      ...(left > 0 ? [section(`and ${String(left)} more`)] : []),
    ],
  };
}

const section = (text: string): object => ({
  type: 'section',
  text: { type: 'plain_text', text: within(text, maxBlockText), emoji: false },
});

const buttons = (link: string | undefined): readonly object[] =>
  // Slack rejects longer URLs.
  link === undefined || link.length > maxBlockText
    ? []
    : [
        {
          type: 'actions',
          elements: [{ type: 'button', text: { type: 'plain_text', text: 'Open' }, url: link }],
        },
      ];

const escaped = (text: string): string =>
  within(text, maxFallback / 5)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

/** Cuts a text without splitting a surrogate pair. */
const within = (text: string, max: number): string => text.slice(0, max).toWellFormed();
