// The collections and what refers to what, drawn and as a list.

import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslations } from 'use-intl';
import { isReferenceType } from '../../../src/domain/definition/references.ts';
import type { Design } from './design.ts';
import { layoutOf, NODE, type Placed } from './layout.ts';

/** Room for arrows that lead back around a collection. */
const MARGIN = 40;
const NAME_LENGTH_SHOWN = 24;
const COLUMN_LENGTH_SHOWN = 27;

interface DiagramPartProps {
  readonly draft: string;
  readonly design: Design;
  readonly onChoose: (collection: string) => void;
}

interface Reference {
  readonly key: string;
  readonly from: string;
  readonly to: string;
  readonly column: string;
  readonly columnName: string;
  /** Its place among the references of its collection, which are named there: beside the arrows they would cover each other. */
  readonly line: number;
}

function referencesIn({ collections }: Design): Reference[] {
  const keys = new Set(collections.map(({ key }) => key));
  return collections.flatMap(({ key: from, columns }) =>
    columns
      .flatMap(({ key: column, name, type, refers }) =>
        isReferenceType(type) && refers !== undefined && keys.has(refers.collection)
          ? [{ key: `${from} ${column}`, from, to: refers.collection, column, columnName: name }]
          : [],
      )
      .map((reference, line) => ({ ...reference, line })),
  );
}

export function DiagramPart({ draft, design, onChoose }: DiagramPartProps) {
  const t = useTranslations('design');
  const { collections } = design;
  const references = useMemo(() => referencesIn(design), [design]);
  const layout = useMemo(
    () =>
      layoutOf(
        collections.map(({ key }) => key),
        references,
      ),
    [collections, references],
  );
  const byKey = new Map(collections.map((collection) => [collection.key, collection]));
  const places = new Map(layout.nodes.map((node) => [node.key, node]));
  const nameOf = (key: string): string => {
    const name = byKey.get(key)?.name ?? '';
    return name.trim() === '' ? t('untitled') : name;
  };
  const [width, height] = [layout.width + 2 * MARGIN, layout.height + 2 * MARGIN];
  return (
    <div className="design-diagram">
      <p className="hint">{t('diagramHint')}</p>
      {collections.length === 0 ? (
        <p className="hint">{t('noCollections')}</p>
      ) : (
        <section className="design-canvas" aria-label={t('diagramOf')}>
          <svg width={width} height={height} viewBox={`${-MARGIN} ${-MARGIN} ${width} ${height}`}>
            <title>{t('diagramOf')}</title>
            <defs>
              <marker
                id="design-arrow"
                viewBox="0 0 8 8"
                refX="7"
                refY="4"
                markerWidth="8"
                markerHeight="8"
                orient="auto"
              >
                <path d="M0 0 8 4 0 8Z" />
              </marker>
            </defs>
            {references.map((reference, index) => (
              <path
                key={reference.key}
                className="design-edge"
                d={pathOf(reference, places, index)}
                markerEnd="url(#design-arrow)"
              />
            ))}
            {layout.nodes.map(({ key, x, y, height: tall }) => (
              // biome-ignore lint/a11y/useSemanticElements: HTML has no buttons within drawings
              <g
                key={key}
                className="design-node"
                transform={`translate(${x} ${y})`}
                role="button"
                tabIndex={0}
                aria-label={`${nameOf(key)}, ${t('columnCount', { count: byKey.get(key)?.columns.length ?? 0 })}`}
                onClick={() => onChoose(key)}
                onKeyDown={(event) => {
                  if (event.key !== 'Enter' && event.key !== ' ') return;
                  event.preventDefault();
                  onChoose(key);
                }}
              >
                <title>{nameOf(key)}</title>
                <rect width={NODE.width} height={tall} rx="6" />
                <text className="design-node-name" x="14" y="24">
                  {cut(nameOf(key), NAME_LENGTH_SHOWN)}
                </text>
                <text className="design-node-count" x="14" y="43">
                  {t('columnCount', { count: byKey.get(key)?.columns.length ?? 0 })}
                </text>
                {references
                  .filter(({ from }) => from === key)
                  .map(({ column, columnName, line }) => (
                    <text key={column} className="design-node-column" x="14" y={lineAt(line) + 4}>
                      {cut(columnName, COLUMN_LENGTH_SHOWN)}
                    </text>
                  ))}
              </g>
            ))}
          </svg>
        </section>
      )}
      <section aria-labelledby="design-references">
        <h2 id="design-references">{t('references')}</h2>
        {references.length === 0 ? (
          <p className="hint">{t('noReferences')}</p>
        ) : (
          <ul className="design-references">
            {references.map(({ key, from, to, column, columnName }) => (
              <li key={key}>
                <Link to="/design/$draft" params={{ draft }} search={{ collection: from, column }}>
                  {t('reference', { collection: nameOf(from), column: columnName, target: nameOf(to) })}
                </Link>
              </li>
            ))}
          </ul>
        )}
      </section>
    </div>
  );
}

/** Names may be of wide characters, which take two places. */
function cut(text: string, length: number): string {
  let left = length;
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text.slice(0, 4 * length))) {
    left -= /[\u1100-\uffff]/.test(segment) ? 2 : 1;
    if (left < 0) return `${kept}…`;
    kept += segment;
  }
  return kept;
}

/** The middle of a reference's line, below the edge of its collection. */
const lineAt = (line: number): number => NODE.height + NODE.line * (line + 0.5) - 3;

/** A curve from the right edge to the left one; back around where the referred one does not stand to the right. */
function pathOf({ from, to, line }: Reference, places: ReadonlyMap<string, Placed>, index: number): string | undefined {
  const [begin, end] = [places.get(from), places.get(to)];
  if (begin === undefined || end === undefined) return undefined;
  const [x1, y1] = [begin.x + NODE.width, begin.y + lineAt(line)];
  // Several that end at the same one part a little.
  const y2 = end.y + NODE.height / 2 + ((index % 5) - 2) * 6;
  if (end.x > begin.x) {
    const x2 = end.x - 1;
    const bend = Math.max(32, (x2 - x1) / 2);
    return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
  }
  const x2 = end.x + NODE.width + 1;
  const out = Math.max(x1, x2) + 48;
  return `M${x1} ${y1}C${out} ${y1} ${out} ${y2} ${x2} ${y2}`;
}
