import { missingFence } from "../../spec/body_lines.ts";
import { CRITERIA_SECTION } from "../../spec/criteria.ts";
import { newSpecText } from "../../spec/new_spec.ts";
import { sectionOf } from "../../spec/sections.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import type { ProposedMember } from "./parse_members.ts";

export interface NewMember {
  readonly id: SpecId;
  readonly text: string;
}

/**
 * The files of a split spec's members, `<id>.1` to `<id>.<n>`. Each names its dependencies, be they none, so that members
 * that need nothing of each other can be worked at the same time. Labels, model and prompt are the parent's.
 */
export function memberTexts(parent: Spec, members: readonly ProposedMember[]): readonly NewMember[] {
  return members.map((member, index) => {
    const id = memberId(parent.id, index + 1);
    const depends_on = member.dependsOn.map((number) => memberId(parent.id, number));
    const prompt = parent.frontmatter["prompt"];
    const text = newSpecText({
      id,
      title: member.title,
      body: bodyOf(member),
      type: parent.type === "driver" || parent.type === "group" ? "code" : parent.type,
      ...(typeof prompt === "string" ? { prompt } : {}),
      fields: {
        depends_on,
        labels: parent.labels,
        ...(member.targetFiles.length === 0 ? {} : { target_files: member.targetFiles }),
        ...(parent.model === null ? {} : { model: parent.model }),
      },
    });
    return { id, text };
  });
}

function memberId(parent: SpecId, number: number): SpecId {
  return `${parent}.${number}` as SpecId;
}

// The first criteria section counts. A description that has one therefore follows the proposed criteria, under a
// heading that ends them. A code fence that the description leaves open would hide the following text.
function bodyOf({ description, criteria, checks }: ProposedMember): string {
  const fence = missingFence(description);
  const text = fence === undefined ? description : `${description}\n${fence}`;
  const itemOf = (criterion: string): string => {
    const check = checks.get(criterion);
    return check === undefined ? `- [ ] ${criterion}` : `- [ ] ${criterion}\n  verify: ${check}`;
  };
  const list = `## ${CRITERIA_SECTION}\n\n${criteria.map(itemOf).join("\n")}`;
  if (text === "") return list;
  if (sectionOf(text, CRITERIA_SECTION) !== undefined) return `${list}\n\n## Description\n\n${text}`;
  return `${text}\n\n${list}`;
}
