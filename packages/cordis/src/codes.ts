/** The code of a call that was cancelled after its body had started. */
export const TOOL_ABORTED = 'ABORTED'
/** The code of a call that was cancelled before its body started. */
export const TOOL_ABORTED_BEFORE_DISPATCH = 'ABORTED_BEFORE_DISPATCH'
/** The reserved name of the tool that runs programs. */
export const RUN_CODE_NAME = 'run_code'
