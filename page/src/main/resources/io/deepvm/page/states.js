// The states of nodes and runs that the pages tell apart.
export const ENDED = new Set(['LOST', 'RELEASED', 'FAILED', 'REFUSED']);
// Nothing comes after these.
export const OVER = new Set(['FINISHED', 'FAILED', 'STOPPED', 'INFEASIBLE']);
// Nothing happens in these; an interrupted run may go on.
export const STILL = new Set([...OVER, 'INTERRUPTED']);
