// What the keys of a record's page mean. Those without Ctrl count only where they cannot be typed.

export interface RecordKeys {
  readonly onEdit?: () => void;
  readonly onSave?: () => void;
  readonly onPrevious?: () => void;
  readonly onNext?: () => void;
  readonly onLeave: () => void;
}

interface Key {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** What a key means, and whether it means it while somebody types. */
export function recordKeyOf(
  { key, ctrlKey, metaKey, altKey, shiftKey }: Key,
  typing: boolean,
): keyof RecordKeys | undefined {
  if (altKey) return undefined;
  if (ctrlKey || metaKey) return key.toLowerCase() === 's' && !shiftKey ? 'onSave' : undefined;
  if (key === 'Escape') return 'onLeave';
  if (typing || shiftKey) return undefined;
  switch (key) {
    case 'e':
      return 'onEdit';
    case 'j':
    case 'ArrowRight':
      return 'onNext';
    case 'k':
    case 'ArrowLeft':
      return 'onPrevious';
    default:
      return undefined;
  }
}
