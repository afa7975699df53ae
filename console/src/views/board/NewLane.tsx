// Adds a lane for a text that no record has yet.

import { useState } from 'react';
import { Button, Dialog, DialogTrigger, Form, Input, Label, Popover, Text, TextField } from 'react-aria-components';
import { useTranslations } from 'use-intl';

export function NewLane({ onAdd }: { readonly onAdd: (text: string) => void }) {
  const t = useTranslations('kinds');
  const [text, setText] = useState('');
  return (
    <DialogTrigger>
      <Button className="button">{t('newLane')}</Button>
      <Popover className="popover">
        <Dialog className="new-lane" aria-label={t('newLane')}>
          {({ close }) => (
            <Form
              onSubmit={(event) => {
                event.preventDefault();
                if (text.trim() === '') return;
                onAdd(text.trim());
                setText('');
                close();
              }}
            >
              <TextField className="field" value={text} onChange={setText} autoFocus>
                <Label>{t('newLane')}</Label>
                <Input className="input" />
                <Text slot="description" className="hint">
                  {t('newLaneHint')}
                </Text>
              </TextField>
            </Form>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
