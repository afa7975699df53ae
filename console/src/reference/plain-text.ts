// Descriptions as text. The viewer would make markup of them, which the page's policy refuses: names of collections and
// columns stand in them.

import type { ViewerSystem } from 'swagger-ui-dist/swagger-ui-es-bundle.js';

export const plainText = ({ React }: ViewerSystem) => ({
  components: {
    Markdown: ({ source = '' }: { readonly source?: string }) =>
      React.createElement(
        'div',
        { className: 'renderedMarkdown' },
        ...source.split(/\n{2,}/).map((paragraph) => React.createElement('p', null, ...withCode(paragraph, React))),
      ),
  },
});

/** What stands between backticks is code. */
const withCode = (text: string, React: ViewerSystem['React']): readonly unknown[] =>
  text.split('`').map((part, index) => (index % 2 === 1 ? React.createElement('code', null, part) : part));
