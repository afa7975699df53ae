// What somebody types, once the typing rests: the server is not asked for every letter.

import { useEffect, useState } from 'react';

const REST_MS = 180;

export function useDebounced(text: string): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), REST_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}
