// A command that cannot do what it was asked, for a reason that one sentence tells: printed without a stack.

export class CommandFailure extends Error {}
