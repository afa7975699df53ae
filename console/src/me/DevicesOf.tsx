// The devices that receive a user's notifications.

import { useFormatter, useTranslations } from 'use-intl';
import { clientOf, type Device } from '../api/client.ts';
import { devicesQuery } from '../api/own.ts';
import { OwnList } from './OwnList.tsx';

interface DevicesOfProps {
  readonly application: string;
  readonly userId: string;
}

export function DevicesOf({ application, userId }: DevicesOfProps) {
  const t = useTranslations('me');
  const format = useFormatter();
  const nameOf = ({ name, transport }: Device) => (name === '' ? t(`transports.${transport}`) : name);
  return (
    <OwnList<Device>
      title={t('devices')}
      hint={t('devicesHint')}
      empty={t('noDevices')}
      query={devicesQuery(application, userId)}
      show={(device) => (
        <>
          <span className="own-name">{nameOf(device)}</span>
          <span className="hint">
            {t(`transports.${device.transport}`)} ·{' '}
            {t('since', { at: format.dateTime(new Date(device.createdAt), { dateStyle: 'medium' }) })}
          </span>
        </>
      )}
      end={({ id }) => clientOf(application).raw.removeDevice({ userId, deviceId: id })}
      endLabel={(device) => ({ name: nameOf(device), action: t('removeDevice') })}
    />
  );
}
