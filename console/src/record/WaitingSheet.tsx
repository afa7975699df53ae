// The sheet of a record before it is there: its place is shown at once, and its lines after a moment.

import './waiting.css';

/** How many lines fit on most screens. */
const LINES = [1, 2, 3, 4, 5, 6];

export function WaitingSheet({ title }: { readonly title?: string | undefined }) {
  return (
    <main className="waiting-page" aria-busy="true">
      {/* No heading: the page that follows has it, and is told of once. */}
      {title !== undefined && <p className="waiting-title">{title}</p>}
      {LINES.map((line) => (
        <span key={line} className="waiting-line" />
      ))}
    </main>
  );
}
