// A card of a board. It is dragged with the mouse or, by its handle, with the keyboard; a menu moves it without dragging.

import { Button, GridListItem, Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { CollectionDefinition, RawRecord } from '../../api/client.ts';
import { titleOf } from '../../record/title.ts';
import { RecordFacts } from '../RecordFacts.tsx';
import type { NamedLane } from './lanes.ts';

/** A card is a glance, not the record. */
const FACTS = 3;

interface BoardCardProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly record: RawRecord;
  readonly by: string;
  readonly isPending: boolean;
  readonly lanes: readonly NamedLane[];
  readonly onMove: (lane: NamedLane) => void;
}

export function BoardCard({ application, collection, record, by, isPending, lanes, onMove }: BoardCardProps) {
  const t = useTranslations('kinds');
  const title = titleOf(collection, record) ?? t('noRecord');
  return (
    <GridListItem id={record.id} textValue={title} className={`board-card ${isPending ? 'pending' : ''}`}>
      <div className="board-card-head">
        <span className="board-card-title">{title}</span>
        <Button slot="drag" className="board-drag" aria-label={t('drag', { title })}>
          ⠿
        </Button>
        <MenuTrigger>
          <Button className="button icon board-card-menu" aria-label={t('moveTo', { title })}>
            ⋯
          </Button>
          <Popover className="popover board-menu">
            <Menu
              onAction={(key) => {
                const lane = lanes.find((each) => each.key === key);
                if (lane !== undefined) onMove(lane);
              }}
            >
              <MenuSection>
                <Header className="menu-heading">{t('moveTo', { title })}</Header>
                {lanes.map(({ key, name }) => (
                  <MenuItem key={key} id={key} className="menu-item" textValue={name}>
                    <span className="select-name">{name}</span>
                  </MenuItem>
                ))}
              </MenuSection>
            </Menu>
          </Popover>
        </MenuTrigger>
      </div>
      <RecordFacts application={application} collection={collection} record={record} max={FACTS} without={by} />
    </GridListItem>
  );
}
