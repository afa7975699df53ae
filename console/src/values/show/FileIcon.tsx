// A sheet with the ending of the file's name, for files that have no picture.

const ENDING = /\.([a-z0-9]{1,4})$/i;

export function FileIcon({ name }: { readonly name: string }) {
  const ending = ENDING.exec(name)?.[1]?.toUpperCase() ?? '';
  return (
    <svg className="file-icon" viewBox="0 0 32 40" width="32" height="40" aria-hidden="true" focusable="false">
      <path d="M4 1.5h16.5l8 8V37a1.5 1.5 0 0 1-1.5 1.5H4A1.5 1.5 0 0 1 2.5 37V3A1.5 1.5 0 0 1 4 1.5z" />
      <path d="M20.5 1.5v8h8" />
      <text x="15.5" y="29" textAnchor="middle">
        {ending}
      </text>
    </svg>
  );
}
