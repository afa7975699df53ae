// A notification while it is written: what may be sent, as the interface has it.

export const TITLE_MAX = 128;
export const BODY_MAX = 512;
const LINK_MAX = 1024;
/** More would be sent for minutes. */
export const RECEIVERS_MAX = 500;

export interface Draft {
  readonly title: string;
  readonly body: string;
  readonly url: string;
  readonly sound: boolean;
}

export const EMPTY_DRAFT: Draft = { title: '', body: '', url: '', sound: false };

/** As the interface counts: code points. */
export const lengthOf = (text: string): number => [...text].length;

export function isLink(text: string): boolean {
  if (lengthOf(text) > LINK_MAX || !URL.canParse(text)) return false;
  const { protocol } = new URL(text);
  return protocol === 'https:' || protocol === 'http:';
}

/** A message that speaks of a page. What was written stays. */
export const aboutPage = (draft: Draft, { title, url }: Pick<Draft, 'title' | 'url'>): Draft => ({
  ...draft,
  url,
  title: draft.title === '' ? [...title].slice(0, TITLE_MAX).join('') : draft.title,
});

export type DraftProblem = 'body' | 'title' | 'url';

export function problemsOf({ title, body, url }: Draft): ReadonlySet<DraftProblem> {
  const found: [DraftProblem, boolean][] = [
    ['body', body.trim() === '' || lengthOf(body) > BODY_MAX],
    ['title', lengthOf(title) > TITLE_MAX],
    ['url', url !== '' && !isLink(url)],
  ];
  return new Set(found.filter(([, wrong]) => wrong).map(([problem]) => problem));
}

export const requestOf = ({ title, body, url, sound }: Draft) => ({
  body,
  ...(title.trim() === '' ? {} : { title }),
  ...(url === '' ? {} : { url }),
  ...(sound ? { sound: 'default' as const } : {}),
});
