// An expected failure of a command. Its message is a sentence for the operator, printed without a stack.

export class CommandFailure extends Error {}
