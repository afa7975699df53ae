// The rights of a user, each with what it allows and why it cannot be changed where it cannot.

import { Checkbox } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { Session } from '../api/client.ts';
import { mayChange, RIGHTS, type Right, type Rights, withRight } from './rights.ts';

interface RightsFieldsProps {
  readonly caller: Session;
  readonly rights: Rights;
  readonly guarded: boolean;
  readonly onChange: (rights: Rights) => void;
}

export function RightsFields({ caller, rights, guarded, onChange }: RightsFieldsProps) {
  const t = useTranslations('people');
  const only = ({ apiAccess, admin, managementApiAccess, organizationManagementApiAccess }: Rights): Rights => ({
    ...{ apiAccess, admin, managementApiAccess, organizationManagementApiAccess },
  });
  const shown = RIGHTS.filter((right) => mayChange(caller, right) || rights[right]);
  const hint = (right: Right) =>
    right === 'admin' && rights.admin && !rights.apiAccess ? t('adminWithoutAccess') : t(`allows.${right}`);
  return (
    <fieldset className="rights-fields">
      <legend>{t('rights')}</legend>
      {shown.map((right) => (
        <Checkbox
          key={right}
          className="right-choice"
          isSelected={rights[right]}
          isDisabled={guarded || !mayChange(caller, right)}
          onChange={(given) => onChange(only(withRight(rights, right, given)))}
          aria-describedby={`allows-${right}`}
        >
          <span className="right-name">{t(`right.${right}`)}</span>
          <span className="hint" id={`allows-${right}`}>
            {hint(right)}
          </span>
        </Checkbox>
      ))}
      <p className="hint">{t('rightsRule')}</p>
    </fieldset>
  );
}
