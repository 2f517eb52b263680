import { bodyText, maxLengths, oneLine } from './clean-text.ts';
import { linkOf, type LinkIds } from './link.ts';

/** What a message, or one item of a digest, is rendered from. It is read again for each attempt. */
export interface Notice {
  readonly ids: LinkIds;
  readonly documentName: string;
  /** Present in notifications about a comment. */
  readonly comment: { readonly annotationCreator: string } | undefined;
  readonly actorName: string;
  /** With its variables filled; empty without one. */
  readonly headline: string;
  /** The service wrote the headline, so that it holds no text of a user. */
  readonly headlineIsOurs: boolean;
  readonly text: string;
  /** The customer's resolver holds the texts. */
  readonly textsHeldElsewhere: boolean;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What the settings of a key say about its messages. */
export interface ContentSettings {
  readonly includeContent: boolean;
  readonly linkTemplate: string;
}

/** The texts of a notice, cleaned and cut. */
export interface Content {
  readonly subject: string;
  readonly headline: string;
  /** Empty when the message may not contain it. */
  readonly text: string;
  readonly link: string | undefined;
  readonly documentName: string;
  readonly actorName: string;
  readonly at: number;
}

/** Whether a message may hold texts of users. */
export const showsTexts = ({ textsHeldElsewhere }: Notice, { includeContent }: ContentSettings): boolean =>
  includeContent && !textsHeldElsewhere;

/** `maxText`: code points of the text. */
export function contentOf(
  notice: Notice,
  settings: ContentSettings,
  maxText: number = maxLengths.text,
): Content {
  const documentName = oneLine(notice.documentName, maxLengths.documentName);
  const isShown = showsTexts(notice, settings);
  const general = `New notification in ${documentName}`;
  const sent = oneLine(notice.headline, maxLengths.subject);
  const headline = sent !== '' && (isShown || notice.headlineIsOurs) ? sent : general;
  const { comment } = notice;
  const subject =
    comment === undefined
      ? headline
      : `[${documentName}] Comment by ${oneLine(comment.annotationCreator, maxLengths.name)}`;
  return {
    subject: oneLine(subject, maxLengths.subject),
    headline,
    text: isShown ? bodyText(notice.text, maxText) : '',
    link: linkOf(settings.linkTemplate, notice.ids),
    documentName,
    actorName: oneLine(notice.actorName, maxLengths.name),
    at: notice.at,
  };
}
