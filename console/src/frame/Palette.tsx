// The command palette: collections, views, records, people and actions by a few letters.

import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  TextField,
  useFilter,
} from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { CollectionDefinition, Session } from '../api/client.ts';
import { useLanguage } from '../messages/provider.tsx';
import { titleOf } from '../record/title.ts';
import { writtenTerm } from '../search/subjects.ts';
import { PersonName } from '../values/show/user.tsx';
import { actionsOf } from './actions.ts';
import { useFound } from './found.ts';
import type { Typed } from './typed-ahead.ts';

interface PaletteProps {
  readonly application: string;
  readonly collections: readonly CollectionDefinition[];
  readonly session: Session;
  /** What was typed before the field had the focus. */
  readonly takeTyped: () => Typed;
  readonly onClose: () => void;
  readonly onKeys: () => void;
  readonly onLeave: () => Promise<void>;
}

interface Item {
  readonly id: string;
  readonly name: string;
  readonly shown?: ReactNode;
  /** Where it is, or what it does. */
  readonly hint?: string;
  readonly run: () => void;
}

interface Section {
  readonly title: string;
  readonly items: readonly Item[];
}

export function Palette(props: PaletteProps) {
  const { takeTyped, onClose } = props;
  const t = useTranslations('palette');
  const [text, setText] = useState('');
  const [isEntered, setEntered] = useState(false);
  const { sections, busy, away } = useSections(props, text);
  const items = sections.flatMap((section) => section.items);
  const choose = (item: Item | undefined) => {
    onClose();
    item?.run();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: as soon as something fits
  useEffect(() => {
    if (isEntered && items.length > 0) choose(items[0]);
  }, [isEntered, items.length]);
  const onFocus = () => {
    const typed = takeTyped();
    setText((now) => now + typed.text);
    setEntered(typed.isEntered);
  };
  // Nothing is chosen yet where all was typed before this was loaded, or where what fits came after the last key.
  const onKeyDown = ({ key, target }: React.KeyboardEvent) => {
    const isChosen = target instanceof Element && target.hasAttribute('aria-activedescendant');
    if (key === 'Enter' && !isChosen && items.length > 0) choose(items[0]);
  };
  return (
    <ModalOverlay className="shade" isDismissable isOpen onOpenChange={onClose}>
      <Modal>
        <Dialog className="palette" aria-label={t('title')}>
          <Autocomplete inputValue={text} onInputChange={setText}>
            <TextField aria-label={t('title')} autoFocus onKeyDown={onKeyDown} onFocus={onFocus}>
              <Input className="input" placeholder={t('placeholder')} />
            </TextField>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the list is scrolled by the keyboard too */}
            <section className="palette-list" aria-label={t('found')} tabIndex={0}>
              <Menu
                className="palette-items"
                aria-label={t('title')}
                onAction={(key) => choose(items.find(({ id }) => id === key))}
                renderEmptyState={() => <p className="palette-nothing">{busy ? t('searching') : t('nothing')}</p>}
              >
                {sections.map((section) => (
                  <MenuSection key={section.title} id={`section ${section.title}`}>
                    <Header className="menu-heading">{section.title}</Header>
                    {section.items.map(({ id, name, shown, hint }) => (
                      <MenuItem key={id} id={id} className="menu-item palette-item" textValue={name}>
                        <span className="palette-name">{shown ?? name}</span>
                        {hint !== undefined && <span className="hint">{hint}</span>}
                      </MenuItem>
                    ))}
                  </MenuSection>
                ))}
              </Menu>
            </section>
          </Autocomplete>
          <p className="palette-state hint" role="status">
            {away ? t('away') : busy && items.length > 0 ? t('searching') : ''}
          </p>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** What fits the text, in the order in which people mean it. */
function useSections(
  { application, collections, session, onKeys, onLeave }: PaletteProps,
  text: string,
): { readonly sections: readonly Section[]; readonly busy: boolean; readonly away: boolean } {
  const t = useTranslations();
  const { contains } = useFilter({ sensitivity: 'base' });
  const navigate = useNavigate();
  const { language, choose } = useLanguage();
  const { collection: current } = useParams({ strict: false });
  const found = useFound(application, collections, text);
  const open = (collection: string, search: { readonly view?: string; readonly search?: string } = {}) =>
    void navigate({ to: '/$application/$collection', params: { application, collection }, search });
  const fits = ({ name }: { readonly name: string }) => contains(name, text.trim());
  const context = { application, collections, session, current, t, navigate, language, chooseLanguage: choose };
  const actions = actionsOf({ ...context, showKeys: onKeys, leave: () => void onLeave() });
  const lookedAt = collections.find(({ id }) => id === current) ?? collections[0];
  const sections: Section[] = [
    {
      title: t('palette.collections'),
      items: collections.filter(fits).map(({ id, name }) => ({ id, name, run: () => open(id) })),
    },
    {
      title: t('palette.views'),
      items: found.views.flatMap(({ collection, views }) =>
        views
          .filter((view) => fits(view) || fits({ name: `${collection.name} ${view.name}` }))
          .map(({ id, name }) => ({ id, name, hint: collection.name, run: () => open(collection.id, { view: id }) })),
      ),
    },
    ...found.records.map(({ collection, records }) => ({
      title: t('palette.recordsOf', { name: collection.name }),
      items: records.map((record) => ({
        id: record.id,
        name: titleOf(collection, record) ?? record.id,
        run: () =>
          void navigate({
            to: '/$application/$collection/$record',
            params: { application, collection: collection.id, record: record.id },
          }),
      })),
    })),
    {
      title: t('palette.people'),
      items:
        lookedAt === undefined
          ? []
          : found.people.map((person) => ({
              id: person.id,
              name: person.name,
              shown: <PersonName person={person} />,
              hint: t('palette.createdIn', { name: lookedAt.name }),
              run: () => open(lookedAt.id, { search: `$createdBy=${writtenTerm(person.name)}` }),
            })),
    },
    { title: t('palette.actions'), items: actions.filter(fits) },
  ];
  return { sections: sections.filter(({ items }) => items.length > 0), busy: found.busy, away: found.away };
}
