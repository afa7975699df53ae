// How a new person gets in.

import { Label, Radio, RadioGroup } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import { NamedField } from './UserFields.tsx';
import type { WayIn } from './ways-in.ts';

interface WayInFieldsProps {
  readonly ways: readonly WayIn[];
  readonly way: WayIn;
  readonly onWay: (way: WayIn) => void;
  readonly password?: string;
  readonly onPassword?: (password: string) => void;
  readonly problem?: string | undefined;
}

export function WayInFields({ ways, way, onWay, password = '', onPassword, problem }: WayInFieldsProps) {
  const t = useTranslations('people');
  return (
    <>
      <RadioGroup className="field" value={way} onChange={(chosen) => onWay(chosen as WayIn)}>
        <Label>{t('wayIn')}</Label>
        <div className="ways">
          {ways.map((each) => (
            <Radio key={each} value={each} className="choice way">
              <span>
                {t(`way.${each}`)}
                <span className="hint">{t(`wayHint.${each}`)}</span>
              </span>
            </Radio>
          ))}
        </div>
      </RadioGroup>
      {way === 'password' && onPassword !== undefined && (
        <NamedField
          label={t('password')}
          type="password"
          autoComplete="new-password"
          value={password}
          hint={t('passwordRule')}
          problem={problem}
          onChange={onPassword}
        />
      )}
    </>
  );
}
