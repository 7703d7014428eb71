import type { Caller } from "#dc/context.ts";

/** The caller of a command that writes to a database by itself: an administrator, named in the change log. */
export function commandCaller(command: string): Caller {
  return { interface: "SYSTEM", principal: { name: `planner ${command}`, roles: ["admin"], authMethod: "none" } };
}
