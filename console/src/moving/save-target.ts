// Where a file is written as it comes, in browsers that let a page do that.

interface SavePicker {
  showSaveFilePicker?(options: {
    readonly suggestedName: string;
    readonly types: readonly { readonly accept: Readonly<Record<string, readonly string[]>> }[];
  }): Promise<FileSystemFileHandle>;
}

/** Whether the browser lets a page write to the disk as it goes. */
export const canWriteFiles = (): boolean => (globalThis as SavePicker).showSaveFilePicker !== undefined;

/** Undefined where the browser cannot; `none` if the person chose no place. */
export async function chooseTarget(
  name: string,
  accept: Readonly<Record<string, readonly string[]>>,
): Promise<FileSystemFileHandle | 'none' | undefined> {
  try {
    return await (globalThis as SavePicker).showSaveFilePicker?.({ suggestedName: name, types: [{ accept }] });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return 'none';
    // A page in a frame or a policy may forbid it.
    return undefined;
  }
}
