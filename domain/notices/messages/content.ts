import { bodyText, maxLengths, oneLine } from './clean-text.ts';
import { linkOf, type LinkIds } from './link.ts';

/** The input of a message, or of one item of a digest. It is read again for each attempt. */
export interface Notice {
  readonly ids: LinkIds;
  readonly documentName: string;
  /** Present in notifications about a comment. */
  readonly comment: { readonly annotationCreator: string } | undefined;
  readonly actorName: string;
  /** With its variables replaced; empty without one. */
  readonly headline: string;
  /** True when the service wrote the headline, so that it contains no text of a user. */
  readonly headlineIsOurs: boolean;
  readonly text: string;
  /** True when the customer's resolver stores the texts. */
  readonly textsHeldElsewhere: boolean;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Settings of a key for the content of its messages. */
export interface ContentSettings {
  readonly includeContent: boolean;
  readonly linkTemplate: string;
}

/** The texts of a notice, cleaned and cut. */
export interface Content {
  readonly subject: string;
  readonly headline: string;
  /** Empty when the settings exclude it. */
  readonly text: string;
  readonly link: string | undefined;
  readonly documentName: string;
  readonly actorName: string;
  readonly at: number;
}

/** Returns whether a message may contain texts of users. */
export const showsTexts = ({ textsHeldElsewhere }: Notice, { includeContent }: ContentSettings): boolean =>
  includeContent && !textsHeldElsewhere;

/** Returns the cleaned texts of a notice, with at most `maxText` code points of its text. */
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
