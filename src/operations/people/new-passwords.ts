// The hashes of new passwords, each in its turn: of an application's people among what that application asks for, and of
// those whom the operator makes beside all applications.

import type { OperatorContext, PeopleMeans, WithoutPlace } from '../../context.ts';

/** No application has such an identifier. */
const OPERATOR_SHARE = 'operator';

export interface PasswordScene {
  readonly application: { readonly id: string };
  readonly people: Pick<PeopleMeans, 'hashPassword'>;
  readonly withoutPlace: WithoutPlace;
}

export const hashForPeople = ({ application, people, withoutPlace }: PasswordScene, password: string) =>
  withoutPlace((stopping) => people.hashPassword({ share: application.id, password, stopping }));

export const hashForOperator = ({ hashPassword }: Pick<OperatorContext, 'hashPassword'>, password: string) =>
  hashPassword({ share: OPERATOR_SHARE, password });
