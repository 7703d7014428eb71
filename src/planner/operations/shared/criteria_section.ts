import { OperationError } from "#kernel/errors.ts";
import { CRITERIA_SECTION, criteriaOf } from "../../spec/criteria.ts";

interface CheckedCriteria {
  readonly criteria: readonly string[];
  /** None, or one for each criterion; an empty one means no check. */
  readonly checks: readonly string[];
}

function refuseUnpaired({ criteria, checks }: CheckedCriteria): void {
  const refuse = (message: string): never => {
    throw new OperationError("invalid_argument", message);
  };
  if (checks.length > 0 && checks.length !== criteria.length) {
    const expected = "expected one for each criterion, an empty text for one without";
    refuse(`Invalid checks: ${checks.length} for ${criteria.length} criteria: ${expected}`);
  }
  const broken = checks.find((check) => /[\r\n\0]/.test(check));
  if (broken !== undefined) refuse(`Invalid check "${broken}": expected one line`);
}

/** The section of the criteria; empty without any. @param before the text that it comes behind */
export function criteriaSection(before: string, { criteria, checks }: CheckedCriteria): string {
  refuseUnpaired({ criteria, checks });
  if (criteria.length === 0) return "";
  for (const criterion of criteria) {
    if (criterion.trim() === "" || /[\r\n]/.test(criterion)) {
      throw new OperationError("invalid_argument", `Invalid criterion "${criterion}": expected one line of text`);
    }
  }
  const lines = criteria.map((criterion) => criterion.trim());
  const items = lines.map((criterion, index) => {
    const check = checks[index]?.trim() ?? "";
    return check === "" ? `- [ ] ${criterion}` : `- [ ] ${criterion}\n  verify: ${check}`;
  });
  const section = `## ${CRITERIA_SECTION}\n\n${items.join("\n")}`;
  // Only the first section counts, and none inside a code block that stays open.
  const counted = criteriaOf(`${before}\n\n${section}\n`).map(({ label }) => label);
  if (counted.join("\n") === lines.join("\n")) return section;
  const reason = "the text before them has such a section, or a code block that is not closed";
  throw new OperationError("invalid_argument", `Cannot add criteria: ${reason}; write them into the text`);
}
