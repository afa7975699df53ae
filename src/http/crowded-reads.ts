// Connections that brought a crowd of small chunks in one piece are read on in turn, one piece at each turn of the event loop. The parser
// takes more than a microsecond for each chunk, however small, and Node would read up to 2 MB from each connection before it
// looks at another: some dozen of them kept all others waiting for seconds.

const waiting = new Set<() => void>();

/** Each has one connection, of which there is a bound. */
export function readOnInTurn(readOn: () => void): void {
  if (waiting.size === 0) setImmediate(takeTurn);
  waiting.add(readOn);
}

function takeTurn(): void {
  const [next] = waiting;
  if (next === undefined) return;
  waiting.delete(next);
  if (waiting.size > 0) setImmediate(takeTurn);
  next();
}
