import type { Rule } from "./rule.ts";
import { approval } from "./rules/approval.ts";
import { complexity } from "./rules/complexity.ts";
import { coupling } from "./rules/coupling.ts";
import { criteria } from "./rules/criteria.ts";
import { dependency } from "./rules/dependency.ts";
import { modelWaste } from "./rules/model_waste.ts";
import { output } from "./rules/output.ts";
import { parse } from "./rules/parse.ts";
import { required } from "./rules/required.ts";
import { title } from "./rules/title.ts";
import { type } from "./rules/type.ts";

/** Every rule in report order, which is that of `RULE_NAMES`. */
export const rules: readonly Rule[] = [
  parse,
  required,
  title,
  type,
  dependency,
  approval,
  output,
  criteria,
  complexity,
  coupling,
  modelWaste,
];
