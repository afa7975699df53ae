// The requests of the page below it, to be copied into a program.

import { useState } from 'react';
import {
  Button,
  Dialog,
  Header,
  Heading,
  ListBox,
  ListBoxItem,
  ListBoxSection,
  Modal,
  ModalOverlay,
} from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { useLanguage } from '../messages/provider.tsx';
import type { Call } from './code/call.ts';
import { OPERATION_NAMES } from './operation-names.ts';
import { RequestCode } from './RequestCode.tsx';
import { GROUPS, useShownRequests } from './shown-requests.ts';
import '../frame/sheet.css';
import './requests.css';

interface RequestSheetProps {
  readonly application: string;
  readonly onClose: () => void;
}

export function RequestSheet({ application, onClose }: RequestSheetProps) {
  const t = useTranslations('requests');
  const close = useTranslations('common')('close');
  const requests = useShownRequests(application);
  const all = GROUPS.flatMap((group) => requests[group]);
  const [chosen, setChosen] = useState<string>();
  const shown = all.find(({ id }) => id === chosen) ?? all[0];
  return (
    <ModalOverlay className="shade" isDismissable isOpen onOpenChange={onClose}>
      <Modal>
        <Dialog className="sheet request-sheet">
          <div className="sheet-head">
            <Heading slot="title" className="sheet-title">
              {t('title')}
            </Heading>
            <Button className="button icon" aria-label={close} onPress={onClose}>
              ×
            </Button>
          </div>
          <p className="hint">
            {shown === undefined ? t('none') : t('intro')} <ReferenceLink application={application} />
          </p>
          {shown !== undefined && (
            <div className="request-parts">
              <ListBox
                className="request-list"
                aria-label={t('list')}
                selectionMode="single"
                disallowEmptySelection
                selectedKeys={[shown.id]}
                onSelectionChange={(keys) => setChosen(String([...keys][0]))}
              >
                {GROUPS.filter((group) => requests[group].length > 0).map((group) => (
                  <ListBoxSection key={group}>
                    <Header className="menu-heading">{t(group)}</Header>
                    {requests[group].map(({ id, call }) => (
                      <RequestItem key={id} id={id} call={call} />
                    ))}
                  </ListBoxSection>
                ))}
              </ListBox>
              <RequestCode call={shown.call} />
            </div>
          )}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function RequestItem({ id, call }: { readonly id: string; readonly call: Call }) {
  const { language } = useLanguage();
  const { operation, method, address, query, application } = call;
  const path = decodeURIComponent(new URL(address).pathname).replace(`/v1/${application}`, '') || '/';
  const asked = query.map(([name, text]) => `${name}=${text}`).join('&');
  const name = operation === undefined ? `${method} ${path}` : OPERATION_NAMES[operation.name][language];
  const detail = `${method} ${path}${asked === '' ? '' : `?${asked}`}`;
  return (
    <ListBoxItem id={id} className="request-item" textValue={`${name} ${detail}`}>
      <span>{name}</span>
      <span className="request-detail" title={detail} dir="ltr">
        {detail}
      </span>
    </ListBoxItem>
  );
}

/** A page of its own beside the console. */
function ReferenceLink({ application }: { readonly application: string }) {
  const t = useTranslations('requests');
  return (
    <a href={`/docs/${application}`} target="_blank" rel="noreferrer">
      {t('reference')}
    </a>
  );
}
