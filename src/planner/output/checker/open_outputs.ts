import type { OutputValidator } from "#planner/ports.ts";

/** The output checks of the project at `root`, an absolute path. What they need is loaded with the first check. */
export function openOutputValidator(root: string): OutputValidator {
  let validator: Promise<OutputValidator> | undefined;
  return {
    async validate(schemaPath, output) {
      validator ??= import("./output_validator.ts").then(({ createOutputValidator }) => createOutputValidator(root));
      return (await validator).validate(schemaPath, output);
    },
  };
}
