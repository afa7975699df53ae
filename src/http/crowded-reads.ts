// Connections that bring much at once are read on in turn, a few pieces in each turn of the event loop: crowds of small chunks, for each
// of which the parser takes more than a microsecond, and large bodies and files. Node would read up to 2 MB from each
// connection before it looks at another: some dozen of them kept all others waiting.

/** Of up to 64 KB each. Chosen, not measured. */
const PIECES_EACH_TURN = 4;

const waiting = new Set<() => void>();
let isDue = false;

/** Each has one connection, of which there is a bound. */
export function readOnInTurn(readOn: () => void): void {
  waiting.add(readOn);
  schedule();
}

function schedule(): void {
  if (isDue || waiting.size === 0) return;
  isDue = true;
  setImmediate(takeTurn);
}

function takeTurn(): void {
  isDue = false;
  let left = PIECES_EACH_TURN;
  for (const next of waiting) {
    if (left === 0) break;
    left -= 1;
    waiting.delete(next);
    next();
  }
  schedule();
}
