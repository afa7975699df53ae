// The collections and what refers to what, drawn and as a list.

import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslations } from 'use-intl';
import { isReferenceType } from '../../../src/domain/definition/references.ts';
import type { Design } from './design.ts';
import { layoutOf, NODE, type Placed } from './layout.ts';

const MARGIN = 24;
const NAME_LENGTH_SHOWN = 24;
/** With more the names of columns would cover each other. */
const LABELLED_MAX = 24;

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
}

function referencesIn({ collections }: Design): Reference[] {
  const keys = new Set(collections.map(({ key }) => key));
  return collections.flatMap(({ key: from, columns }) =>
    columns.flatMap(({ key: column, name, type, refers }) =>
      isReferenceType(type) && refers !== undefined && keys.has(refers.collection)
        ? [{ key: `${from} ${column}`, from, to: refers.collection, column, columnName: name }]
        : [],
    ),
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
            {references.map(({ key, from, to, columnName }, index) => {
              const ends = endsOf(places.get(from), places.get(to), index);
              if (ends === undefined) return null;
              return (
                <g key={key} className="design-edge">
                  <path d={ends.path} markerEnd="url(#design-arrow)" />
                  {references.length <= LABELLED_MAX && (
                    <text x={ends.x} y={ends.y} textAnchor="middle">
                      {cut(columnName, 14)}
                    </text>
                  )}
                </g>
              );
            })}
            {layout.nodes.map(({ key, x, y }) => (
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
                <rect width={NODE.width} height={NODE.height} rx="6" />
                <text className="design-node-name" x="14" y="24">
                  {cut(nameOf(key), NAME_LENGTH_SHOWN)}
                </text>
                <text className="design-node-count" x="14" y="43">
                  {t('columnCount', { count: byKey.get(key)?.columns.length ?? 0 })}
                </text>
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

/** A curve from the right edge to the left one; back around where the referred one does not stand to the right. */
function endsOf(from: Placed | undefined, to: Placed | undefined, index: number) {
  if (from === undefined || to === undefined) return undefined;
  // Several between the same two part a little.
  const part = ((index % 5) - 2) * 6;
  const [x1, y1] = [from.x + NODE.width, from.y + NODE.height / 2 + part];
  const y2 = to.y + NODE.height / 2 + part;
  if (to.x > from.x) {
    const x2 = to.x - 1;
    const bend = Math.max(32, (x2 - x1) / 2);
    const path = `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
    return { path, x: (x1 + x2) / 2, y: (y1 + y2) / 2 - 6 };
  }
  const x2 = to.x + NODE.width + 1;
  const out = Math.max(x1, x2) + 48;
  const path = `M${x1} ${y1 - 8}C${out} ${y1 - 8} ${out} ${y2 + 8} ${x2} ${y2 + 8}`;
  return { path, x: out - 10, y: (y1 + y2) / 2 };
}
