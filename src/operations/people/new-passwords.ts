// The hashes of new passwords, each in its turn: of an application's people among what that application asks for, and of
// those whom the operator makes beside all applications.

import type { OperatorContext, PeopleMeans, WithoutSlot } from '../../context.ts';

/** No application has such an identifier. */
const OPERATOR_TENANT = 'operator';

export interface PasswordScene {
  readonly application: { readonly id: string };
  readonly people: Pick<PeopleMeans, 'hashPassword'>;
  readonly withoutSlot: WithoutSlot;
}

export const hashForPeople = ({ application, people, withoutSlot }: PasswordScene, password: string) =>
  withoutSlot((signal) => people.hashPassword({ tenant: application.id, password, signal }));

export const hashForOperator = ({ hashPassword }: Pick<OperatorContext, 'hashPassword'>, password: string) =>
  hashPassword({ tenant: OPERATOR_TENANT, password });
