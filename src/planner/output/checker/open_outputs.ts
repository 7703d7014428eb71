import type { OutputValidator } from "#planner/work/judge_output.ts";

/** Creates the output validator of the project at the absolute path `root`. The first check loads its modules. */
export function createLazyOutputValidator(root: string): OutputValidator {
  let validator: Promise<OutputValidator> | undefined;
  const load = (): Promise<OutputValidator> => {
    validator ??= import("./output_validator.ts").then(({ createOutputValidator }) => createOutputValidator(root));
    return validator;
  };
  return {
    validateOutput: async (schemaPath, output) => (await load()).validateOutput(schemaPath, output),
    computeFingerprint: async (schemaPath) => (await load()).computeFingerprint(schemaPath),
    promptSection: async (schemaPath) => (await load()).promptSection(schemaPath),
  };
}
