import { OperationError } from "#kernel/errors.ts";

/** The refusal of everything that would start or stop an agent: this version only shows what others have left. */
export function agentsAbsent(refused: string): OperationError {
  return new OperationError("unavailable", `${refused}: this version of planner cannot start or stop agents`);
}
