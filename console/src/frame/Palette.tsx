// The command palette: collections and actions by a few letters of their names.

import { useNavigate } from '@tanstack/react-router';
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
import type { CollectionDefinition } from '../api/client.ts';

interface PaletteProps {
  readonly application: string;
  readonly collections: readonly CollectionDefinition[];
  readonly isOpen: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onLeave: () => Promise<void>;
}

export function Palette({ application, collections, isOpen, onOpenChange, onLeave }: PaletteProps) {
  const t = useTranslations('palette');
  const frame = useTranslations('frame');
  const { contains } = useFilter({ sensitivity: 'base' });
  const navigate = useNavigate();
  function act(key: string): void {
    onOpenChange(false);
    if (key === 'sign-out') void onLeave();
    else void navigate({ to: '/$application/$collection', params: { application, collection: key }, search: {} });
  }
  return (
    <ModalOverlay className="shade" isDismissable isOpen={isOpen} onOpenChange={onOpenChange}>
      <Modal>
        <Dialog className="palette" aria-label={t('title')}>
          <Autocomplete filter={contains}>
            <TextField aria-label={t('title')} autoFocus>
              <Input className="input" placeholder={t('placeholder')} />
            </TextField>
            <Menu
              className="palette-list"
              aria-label={t('title')}
              onAction={(key) => act(String(key))}
              renderEmptyState={() => <p className="palette-nothing">{t('nothing')}</p>}
            >
              <MenuSection>
                <Header className="menu-heading">{t('collections')}</Header>
                {collections.map(({ id, name }) => (
                  <MenuItem key={id} id={id} className="menu-item" textValue={name}>
                    {name}
                  </MenuItem>
                ))}
              </MenuSection>
              <MenuSection>
                <Header className="menu-heading">{t('actions')}</Header>
                <MenuItem id="sign-out" className="menu-item">
                  {frame('signOut')}
                </MenuItem>
              </MenuSection>
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
