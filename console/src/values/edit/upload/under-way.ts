// How many files of a form are on their way: a form that is stored before them would lose them.

import { createContext, useContext, useEffect, useMemo, useState } from 'react';

type Report = (change: number) => void;

export const UploadsUnderWay = createContext<Report>(() => undefined);

/** For the form: the number of files, and what its editors report to. */
export function useUploadCount(): { readonly count: number; readonly report: Report } {
  const [count, setCount] = useState(0);
  return useMemo(() => ({ count, report: (change) => setCount((known) => known + change) }), [count]);
}

/** For an editor, while it has this many files that are not stored yet. */
export function useReportedUploads(count: number): void {
  const report = useContext(UploadsUnderWay);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the form hands out another function for each count
  useEffect(() => {
    report(count);
    return () => report(-count);
  }, [count]);
}
